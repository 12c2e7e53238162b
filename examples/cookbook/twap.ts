// twap.ts
import { map, takeWhile, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { rights, snapshots } from 'svc-streams/operators'
import { target } from 'svc-streams/paper'
import type { MarketClient, Order, PaperAccount, PaperOptions } from 'svc-streams/paper'

const tokens = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })
export const options: PaperOptions = { tokens, cash: 100_000, feeBps: 2, slippageBps: 1, latency: 50 }

const defaults = { total: 5n * 10n ** 18n, slices: 10, ms: 60_000 }

/**
 * Buys 5 ETH in ten equal slices, one a minute. Each order is the position that the plan has by then, so that it also buys
 * what an earlier slice did not get: the depth was too small, or the order was rejected.
 */
export default (
  { price$ }: MarketClient,
  { position }: PaperAccount,
  { total, slices, ms } = defaults,
): Observable<Order> =>
  price$(tokens.ETH.topic).pipe(
    snapshots(ms), // at each full minute, also if no price came in it
    rights(), // no slice while there is no current price
    takeWhile(() => position('ETH').quantity < total),
    map((_, index) => (total * BigInt(Math.min(index + 1, slices))) / BigInt(slices)),
    map((units) => target('ETH', { units })),
  )
