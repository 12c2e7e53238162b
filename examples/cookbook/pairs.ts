// pairs.ts
import { filter, map, merge, mergeMap, withLatestFrom, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { combineFresh, mapRight, rights, rolling } from 'svc-streams/operators'
import { closePosition, target } from 'svc-streams/paper'
import type { MarketClient, Order, PaperAccount, PaperOptions } from 'svc-streams/paper'

const tokens = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})
const costs = { feeBps: 2, slippageBps: 1, latency: 50 }
export const options: PaperOptions = { tokens, cash: 100_000, allowShort: true, ...costs }
const defaults = { usd: 2_000, count: 40, entry: 2, exit: 0.5 }

/** Sells the dear leg and buys the cheap one; closes both when the ratio is near its mean again. */
export default (
  { price$ }: MarketClient,
  { position, open$, fill$ }: PaperAccount,
  { usd, count, entry, exit } = defaults,
): Observable<Order> => {
  const legs = { eth: price$(tokens.ETH.topic), btc: price$(tokens.BTC.topic) }
  const btc$ = combineFresh(legs, { maxSkew: 15_000 }).pipe(
    mapRight(({ eth, btc }) => btc.price / eth.price),
    rolling({ count }), // a Left empties the window: ratios may be missing
    rights(),
    withLatestFrom(open$),
    mergeMap(([{ isFull, zScore }, open]) => {
      if (!isFull || zScore === null || open.length > 0) return [] // the last orders still wait for a price
      const hasPair = position('BTC').quantity !== 0n
      if (hasPair) return Math.abs(zScore) < exit ? [closePosition('BTC')] : []
      return Math.abs(zScore) < entry ? [] : [target('BTC', { usd: -Math.sign(zScore) * usd })]
    }),
  )
  const eth$ = fill$.pipe(
    filter(({ symbol }) => symbol === 'BTC'), // each fill is hedged: no venue fills both legs at once
    map(({ price }) => target('ETH', { usd: (-Number(position('BTC').quantity) / 1e8) * price })),
  )
  return merge(btc$, eth$)
}
