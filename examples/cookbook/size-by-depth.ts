// size-by-depth.ts
import { distinctUntilChanged, mergeMap, withLatestFrom, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { combineFresh, rights } from 'svc-streams/operators'
import { market } from 'svc-streams/paper'
import type { MarketClient, Order, PaperAccount, PaperOptions } from 'svc-streams/paper'

const tokens = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })
const costs = { feeBps: 2, slippageBps: 1, latency: 50 }
export const options: PaperOptions = { tokens, cash: 100_000, depthInterval: 500, ...costs }

/** 5 ETH. */
const wanted = 5n * 10n ** 18n

/** Buys until the position is as wanted: of each depth at most a tenth, and never two orders at a time. */
export default ({ price$, depth$ }: MarketClient, { position, open$ }: PaperAccount): Observable<Order> => {
  const { topic, address } = tokens.ETH
  const legs = { price: price$(topic), depth: depth$(address, 500) }
  return combineFresh(legs, { maxAge: { depth: 2_000 } }).pipe(
    rights(), // no order while the price is a Left, or the depth is a Left or older than 2 s
    distinctUntilChanged((before, now) => before.depth.timestamp === now.depth.timestamp),
    withLatestFrom(open$),
    mergeMap(([{ depth }, open]) => {
      const missing = wanted - position('ETH').quantity
      const tenth = depth.buy.totalQuantity / 10n
      const units = missing < tenth ? missing : tenth
      return units > 0n && open.length === 0 ? [market('ETH', 'buy', { units })] : []
    }),
  )
}
