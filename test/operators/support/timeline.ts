import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { map, merge, NEVER, takeUntil, timer, type Observable } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import type { Price } from '../../../src/base/domain/price.js'

/** For marbles. A lower-case letter is a `Right` of itself; an upper-case letter is a `Left` of itself. */
export const letterEvents: Readonly<Record<string, Either<string, string>>> = Object.fromEntries(
  Array.from('abcdefghij').flatMap((letter) => [
    [letter, right(letter)],
    [letter.toUpperCase(), left(letter.toUpperCase())],
  ]),
)

/** Without `receivedAt`, that of the builders of `svc-streams/testing`: the price then counts at its arrival. */
export const createPrice = (price: number, receivedAt = 1_735_689_600_000): Price => ({
  topic: 'svc-0xab',
  price,
  receivedAt,
  epoch: 1,
})

/** A value and the time of its emission, in ms of virtual time. */
export interface TimedValue<T> {
  readonly at: number
  readonly value: T
}

/** Emits the values at their times. Completes at `end`, or never if it is undefined. */
export const timeline$ = <T>(values: readonly TimedValue<T>[], end?: number): Observable<T> => {
  const values$ = merge(...values.map(({ at, value }) => timer(at).pipe(map(() => value))), NEVER)
  return end === undefined ? values$ : values$.pipe(takeUntil(timer(end)))
}

export interface TimedResult<T> {
  readonly values: readonly TimedValue<T>[]
  readonly completedAt: number | undefined
}

/** Collects the values of a stream in virtual time. Calls `afterSubscribe` synchronously after the subscription. */
export const collectTimed = <T>(
  source$: () => Observable<T>,
  afterSubscribe?: () => void,
): TimedResult<T> => {
  const values: TimedValue<T>[] = []
  let completedAt: number | undefined
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => {
    source$().subscribe({
      next: (value) => values.push({ at: scheduler.now(), value }),
      complete: () => (completedAt = scheduler.now()),
    })
    afterSubscribe?.()
    scheduler.flush()
  })
  return { values, completedAt }
}
