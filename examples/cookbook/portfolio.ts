// portfolio.ts
import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { NotFresh, PriceClient, PriceError, Topic } from 'svc-streams'
import { combineFresh, mapRight, snapshots, type Snapshot } from 'svc-streams/operators'

interface Holding {
  readonly topic: Topic
  /** In tokens. */
  readonly quantity: number
}

/**
 * The value in USD at each full second, or the token without a current price: never a sum of which a part is old. A quiet
 * token repeats its price every 10 s, so its price may be 15 s older than the newest.
 */
export const portfolio$ = (
  client: Pick<PriceClient, 'price$'>,
  holdings: Readonly<Record<string, Holding>>,
): Observable<Either<NotFresh<string, PriceError>, Snapshot<number>>> => {
  const legs = Object.entries(holdings).map(([symbol, { topic }]) => [symbol, client.price$(topic)] as const)
  return combineFresh(Object.fromEntries(legs), { maxSkew: 15_000 }).pipe(
    mapRight((prices) =>
      Object.entries(holdings).reduce(
        (sum, [symbol, { quantity }]) => sum + quantity * (prices[symbol]?.price ?? NaN),
        0,
      ),
    ),
    snapshots(1_000),
  )
}
