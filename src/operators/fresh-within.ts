import { isLeft, isRight, left, type Either } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import { isPriceValue } from '../base/domain/valid-numbers.js'
import type { Price } from '../base/domain/price.js'
import { stale } from '../base/errors/constructors.js'
import type { Stale } from '../base/errors/model.js'
import { timerMsFrom } from '../base/option-kinds/number-option.js'
import { checkValue, shown } from '../base/option-kinds/parse-options.js'
import { MovableDeadline } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'
import { whileOpen, type EitherOperator } from './either.js'

/**
 * Emits one `Left<Stale>` if no event follows a value within `ms` milliseconds.
 *
 * ```
 * source          -a--b-------------c-L------------|     L: Left
 * freshWithin(5)  -a--b----S--------c-L------------|     S: Left(Stale)
 * ```
 *
 * - Each event of the source, a `Left` included, cancels the deadline. Only a value starts a new one.
 * - Completion and an Rx error of the source cancel the deadline.
 * - `Stale` has the value's `topic`, or `''` if the value has none. `last` is the value if it is a `Price`.
 * - Time during which the event loop is blocked does not count: data that has already arrived is processed first.
 *
 * @param ms maximum time without an event, in ms: 0 to 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(freshWithin(500)) // stricter than the client's own staleAfter
 */
export const freshWithin = <E, A>(ms: number): EitherOperator<E, A, Either<E | Stale, A>> => {
  checkValue('ms', ms, timerMsFrom(0), shown)
  return (source$) =>
    new Observable((subscriber) => {
      let latest: Either<E, A> | undefined
      // Not `timer`: after a blocked event loop, timers fire before Node reads the data that arrived in time.
      const deadline = new MovableDeadline(rxClock, () => {
        if (latest !== undefined && isRight(latest)) subscriber.next(left(staleOf(latest.right, ms)))
      })
      subscriber.add(() => deadline.stop())
      return source$.pipe(whileOpen(subscriber)).subscribe({
        next: (event) => {
          latest = event
          // A timer that is due already would emit before what arrives at the same time.
          if (isLeft(event) || ms === 0) deadline.stop()
          subscriber.next(event)
          // A handler may have unsubscribed, or caused a newer event, which then decides.
          if (isLeft(event) || latest !== event || subscriber.closed) return
          const now = rxClock.elapsed()
          deadline.set(now + ms, now)
        },
        error: (thrown) => subscriber.error(thrown),
        complete: () => subscriber.complete(),
      })
    })
}

const staleOf = (value: unknown, ms: number): Stale => {
  if (isPrice(value)) return stale(value.topic, ms, value)
  const topic = hasTopic(value) ? value.topic : ''
  const message = `${topic === '' ? '' : `${topic}: `}no value for ${ms} ms`
  return { ...stale(topic, ms, undefined), message }
}

const hasTopic = (value: unknown): value is { readonly topic: string } =>
  typeof value === 'object' && value !== null && 'topic' in value && typeof value.topic === 'string'

const isPrice = (value: unknown): value is Price => {
  if (!hasTopic(value)) return false
  const { price, receivedAt, epoch } = value as Partial<Price>
  return isPriceValue(price) && typeof receivedAt === 'number' && typeof epoch === 'number'
}
