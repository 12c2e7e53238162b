// stops.ts
import { map, merge, mergeMap, take, withLatestFrom, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { combineFresh, rights } from 'svc-streams/operators'
import { cancel, market, stop, trailingStop } from 'svc-streams/paper'
import type { MarketClient, Order, PaperAccount, PaperOptions } from 'svc-streams/paper'

const tokens = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })
export const options: PaperOptions = { tokens, cash: 10_000, feeBps: 2, slippageBps: 1, latency: 50 }

/** Buys once, and sells at 1 % below what was paid, or at 3 % below the highest price since. */
export default ({ price$, depth$ }: MarketClient, { fill$, open$ }: PaperAccount): Observable<Order> => {
  const legs = { price: price$(tokens.ETH.topic), depth: depth$(tokens.ETH.address, 500) }
  const entry$ = combineFresh(legs, { maxAge: { depth: 2_000 } }).pipe(
    rights(), // without a depth, a market order is rejected
    take(1),
    map(() => market('ETH', 'buy', { usd: 2_000 }, { id: 'entry' })),
  )
  const exits$ = fill$.pipe(
    withLatestFrom(open$),
    mergeMap(([{ id, price, quantity, remaining }, open]): readonly Order[] => {
      const size = { units: quantity }
      if (id === 'entry') {
        const fixed = stop('ETH', 'sell', size, price * 0.99, { id: 'stop' })
        return [fixed, trailingStop('ETH', 'sell', size, { bps: 300 }, { id: 'trail' })]
      }
      return remaining === 0n ? open.map((other) => cancel(other.id)) : [] // one of the two has sold it all
    }),
  )
  return merge(entry$, exits$)
}
