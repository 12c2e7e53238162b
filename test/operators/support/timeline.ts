import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { map, merge, NEVER, takeUntil, timer, type Observable } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import type { Price } from '../../../src/domain/price.js'

/** Lower case: a `Right` of the letter; upper case: a `Left` of it. */
export const letterEvents: Readonly<Record<string, Either<string, string>>> = Object.fromEntries(
  Array.from('abcdefghij').flatMap((letter) => [
    [letter, right(letter)],
    [letter.toUpperCase(), left(letter.toUpperCase())],
  ]),
)

/** The price of a topic, as the client gives it. */
export const priceOf = (price: number, receivedAt = 0): Price => ({
  topic: 'svc-0xab',
  price,
  receivedAt,
  epoch: 1,
})

/** Something at a time, in ms of virtual time. */
export interface TimedValue<T> {
  readonly at: number
  readonly value: T
}

/** The values at their times, and completion at `end` (never, if it is undefined). */
export const timeline$ = <T>(values: readonly TimedValue<T>[], end?: number): Observable<T> => {
  const values$ = merge(...values.map(({ at, value }) => timer(at).pipe(map(() => value))), NEVER)
  return end === undefined ? values$ : values$.pipe(takeUntil(timer(end)))
}

export interface TimedResult<T> {
  readonly values: readonly TimedValue<T>[]
  readonly completedAt: number | undefined
}

/** What a stream gives in virtual time, and when. `act` is called once it is subscribed to. */
export const collectTimed = <T>(source$: () => Observable<T>, act?: () => void): TimedResult<T> => {
  const values: TimedValue<T>[] = []
  let completedAt: number | undefined
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => {
    source$().subscribe({
      next: (value) => values.push({ at: scheduler.now(), value }),
      complete: () => (completedAt = scheduler.now()),
    })
    act?.()
    scheduler.flush()
  })
  return { values, completedAt }
}
