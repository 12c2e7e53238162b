// reversion.ts
import { mergeMap, withLatestFrom, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { candles, mapRight, rights, rolling } from 'svc-streams/operators'
import { closePosition, market } from 'svc-streams/paper'
import type { MarketClient, Order, PaperAccount, PaperOptions } from 'svc-streams/paper'

const tokens = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })
export const options: PaperOptions = { tokens, cash: 10_000, feeBps: 1, slippageBps: 0.5, latency: 50 }

const defaults = { count: 20, entry: 1.5 }

/** Buys when a close is far below the average of the last bars, and sells when it is above the average. */
export default (
  { price$ }: MarketClient,
  { position, open$ }: PaperAccount,
  { count, entry } = defaults,
): Observable<Order> =>
  price$(tokens.ETH.topic).pipe(
    candles(1_000, { fill: true }),
    mapRight(({ close }) => close),
    rolling({ count }),
    rights(),
    withLatestFrom(open$),
    mergeMap(([{ isFull, zScore }, open]) => {
      if (!isFull || zScore === null || open.length > 0) return [] // the last order still waits for a price
      if (position('ETH').quantity > 0n) return zScore > 0 ? [closePosition('ETH')] : []
      return zScore < -entry ? [market('ETH', 'buy', { usd: 2_000 })] : []
    }),
  )
