// venue-spread.ts
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, endWith, map, of, repeat, type Observable } from 'rxjs'
import type { NotFresh, Price, PriceError } from 'svc-streams'
import { combineFresh, mapRight } from 'svc-streams/operators'

/** The best prices of another venue, from a client of that venue. */
export interface Quote {
  readonly bid: number
  readonly ask: number
}

/** Makes the end and each failure of a source a `Left`, and subscribes again 1 s later. */
const events$ = (quote$: Observable<Quote>): Observable<Either<Error, Quote>> =>
  quote$.pipe(
    map((quote) => right(quote)),
    endWith(left(new Error('the other venue has ended the stream'))),
    catchError((thrown: unknown) => of(left(new Error(String(thrown))))),
    repeat({ delay: 1_000 }),
  )

/**
 * How far this price is above the midpoint of the other venue, in basis points. A price of this library is current until
 * its `Left`. A quote of the other venue says nothing of its age, so it counts for 2 s.
 */
export const spread$ = (
  price$: Observable<Either<PriceError, Price>>,
  quote$: Observable<Quote>,
): Observable<Either<NotFresh<'here' | 'there', PriceError | Error>, number>> =>
  combineFresh({ here: price$, there: events$(quote$) }, { maxAge: { there: 2_000 } }).pipe(
    mapRight(({ here, there }) => 10_000 * (here.price / ((there.bid + there.ask) / 2) - 1)),
  )
