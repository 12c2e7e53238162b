import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Observable } from 'rxjs'
import type { Price, PriceError, Topic } from 'svc-streams'
import {
  openHistory,
  type CaughtUp,
  type CoveredTopic,
  type Gap,
  type HistoryError,
  type PastEvent,
  type PastPrice,
} from 'svc-streams/history'
import { candles, combineFresh, rights, withPast, type Candle } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { describe, expectTypeOf, test } from 'vitest'

declare const topic: Topic
declare const price$: Observable<Either<PriceError, Price>>

const history = openHistory(['market.ndjson', new URL('file:///market.ndjson')])
const past$ = history.prices$(topic, { from: 0 })

test('a history emits past prices and gaps', () => {
  expectTypeOf(past$).toEqualTypeOf<Observable<Either<HistoryError, PastEvent>>>()
  expectTypeOf<PastEvent>().toEqualTypeOf<PastPrice | Gap>()
  expectTypeOf<Gap['cause']>().toEqualTypeOf<'disconnected' | 'stale' | 'unrecorded'>()
  expectTypeOf(history.topics()).toEqualTypeOf<TaskEither<HistoryError, readonly CoveredTopic[]>>()
  // @ts-expect-error -- a start is required
  expectTypeOf(history.prices$(topic, {})).not.toBeAny()
  expectTypeOf(openHistory('http://127.0.0.1:8080')).toEqualTypeOf(history)
  // @ts-expect-error -- one recording is a list of one
  expectTypeOf(openHistory(new URL('file:///market.ndjson'))).not.toBeAny()
})

describe('a past price', () => {
  test('is no current price, and a current one is no past one', () => {
    expectTypeOf<PastPrice>().not.toExtend<Price>()
    expectTypeOf<Price>().not.toExtend<PastPrice>()
    expectTypeOf<PastEvent>().not.toExtend<Price>()
    const trade = (price: Price): number => price.price
    // @ts-expect-error -- a past price
    past$.pipe(rights()).subscribe(trade)
  })

  test('is no live price of candles', () => {
    const prices$ = past$ as Observable<Either<HistoryError, PastPrice>>
    // @ts-expect-error -- its window would be that of its arrival
    expectTypeOf(prices$.pipe(candles(60_000))).not.toBeAny()
  })

  test('keeps its type in a combination', () => {
    const prices$ = past$ as Observable<Either<HistoryError, PastPrice>>
    const both$ = combineFresh({ past: prices$, live: price$ }, { maxSkew: 1 })
    expectTypeOf(both$.pipe(rights())).toEqualTypeOf<Observable<{ past: PastPrice; live: Price }>>()
  })
})

describe('a join', () => {
  test('of candles has the errors of both', () => {
    expectTypeOf(price$.pipe(candles(60_000, { past$ }))).toEqualTypeOf<
      Observable<Either<PriceError | HistoryError, Candle>>
    >()
  })

  test('emits past events, CaughtUp, and live values', () => {
    expectTypeOf(price$.pipe(withPast(past$))).toEqualTypeOf<
      Observable<Either<HistoryError | PriceError, PastEvent | CaughtUp | Price>>
    >()
    // @ts-expect-error -- live prices are no past
    expectTypeOf(price$.pipe(withPast(price$))).not.toBeAny()
  })

  test('uses the history of a replay', () => {
    const candles$ = replay('market.ndjson').run$((client) =>
      client.price$(topic).pipe(candles(1000, { past$: client.history.prices$(topic, { from: 0 }) })),
    )
    expectTypeOf(candles$).toEqualTypeOf<Observable<Either<PriceError | HistoryError, Candle>>>()
  })
})
