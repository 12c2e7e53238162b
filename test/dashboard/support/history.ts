import { right, type Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { History, HistoryError, PastEvent, PastPrice } from 'svc-streams/history'
import { ethTopic } from '../../support/tokens.js'

/** A history in which each topic has these events. */
export const historyOf = (prices$: Observable<Either<HistoryError, PastEvent>>): History => ({
  prices$: () => prices$,
  topics: () => async () => right([]),
})

/** A price in USD. `at`: in ms since the Unix epoch. */
export const past = (at: number, price: number): PastPrice => ({
  _tag: 'PastPrice',
  topic: ethTopic,
  price,
  at,
})
