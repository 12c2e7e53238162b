import { mergeMap, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { combineFresh, mapRight, rights, rolling } from 'svc-streams/operators'
import {
  target,
  together,
  type MarketClient,
  type Order,
  type PaperAccount,
  type PaperOptions,
} from 'svc-streams/paper'

// A pair on paper: buys BTC and sells ETH when their ratio is low, and the reverse when it is high. The module is a strategy
// for the commands:
//
//   npx svc-streams record --simulate --duration 2m --interval 500 --out market.ndjson
//   npx svc-streams backtest market.ndjson examples/paper-trading.ts --report report.html
//   npx svc-streams paper examples/paper-trading.ts --simulate --journal desk.ndjson

const tokens = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})

export const options = {
  ...{ tokens, cash: 100_000, allowShort: true },
  ...{ feeBps: 2, slippageBps: 1, latency: 50, depthInterval: 500 },
} satisfies PaperOptions

/** The size of each leg in USD, the number of ratios in the average, and the distance from it that is a signal. */
const defaults = { usd: 2_000, count: 40, entry: 1.5 }

export default (
  { price$ }: MarketClient,
  { position }: PaperAccount,
  { usd, count, entry } = defaults,
): Observable<Order> =>
  // The service repeats an unchanged price every 10 s.
  combineFresh({ btc: price$(tokens.BTC.topic), eth: price$(tokens.ETH.topic) }, { maxSkew: 15_000 }).pipe(
    mapRight(({ btc, eth }) => btc.price / eth.price),
    rolling({ count }),
    rights(),
    mergeMap(({ isFull, zScore }) => {
      if (!isFull || zScore === null || Math.abs(zScore) < entry) return []
      const side = -Math.sign(zScore)
      // What the account holds decides, not what the strategy has ordered: an order may be rejected.
      if (Math.sign(Number(position('BTC').quantity)) === side) return []
      return [together([target('BTC', { usd: side * usd }), target('ETH', { usd: -side * usd })])]
    }),
  )
