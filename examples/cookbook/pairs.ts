// pairs.ts
import { mergeMap, withLatestFrom, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { combineFresh, mapRight, rights, rolling } from 'svc-streams/operators'
import { closePosition, target, together } from 'svc-streams/paper'
import type { MarketClient, Order, PaperAccount, PaperOptions } from 'svc-streams/paper'

const tokens = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})
export const options: PaperOptions = { tokens, cash: 100_000, feeBps: 2, latency: 50, allowShort: true }

const defaults = { usd: 2_000, count: 40, entry: 2, exit: 0.5 }

/** Sells the dear leg and buys the cheap one; closes both when the ratio is near its mean again. */
export default (
  { price$ }: MarketClient,
  { position, open$ }: PaperAccount,
  { usd, count, entry, exit } = defaults,
): Observable<Order> =>
  combineFresh({ eth: price$(tokens.ETH.topic), btc: price$(tokens.BTC.topic) }, { maxSkew: 15_000 }).pipe(
    mapRight(({ eth, btc }) => btc.price / eth.price),
    rolling({ count }), // a Left empties the window: ratios may be missing
    rights(),
    withLatestFrom(open$),
    mergeMap(([{ isFull, zScore }, open]) => {
      if (!isFull || zScore === null || open.length > 0) return [] // the last orders still wait for a price
      const hasPair = position('BTC').quantity !== 0n
      if (hasPair && Math.abs(zScore) < exit) return [together([closePosition('BTC'), closePosition('ETH')])]
      if (hasPair || Math.abs(zScore) < entry) return []
      const side = -Math.sign(zScore)
      return [together([target('BTC', { usd: side * usd }), target('ETH', { usd: -side * usd })])]
    }),
  )
