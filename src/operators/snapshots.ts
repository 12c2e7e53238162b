import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import { timerMsFrom } from '../base/option-kinds/number-option.js'
import { checkValue, shown } from '../base/option-kinds/parse-options.js'
import { maxBlockedMs, rxClock } from '../base/time/clock.js'
import { DataWindow, maxQuietWindows, windowTimeOf } from './data-window.js'
import { whileOpen, type EitherOperator } from './either.js'
import { maxLateMs } from '../base/time/timers.js'

/** What was in force at one time. */
export interface Snapshot<A> {
  /** In ms of Rx time (since the Unix epoch): a multiple of the interval. */
  readonly at: number
  /** The last value before `at`. */
  readonly value: A
}

/**
 * Emits at each multiple of `ms` milliseconds what is in force: the last value before that time, or the last `Left`. Emits
 * in quiet intervals too, so that a strategy decides at equal distances. Emits nothing before the first event.
 *
 * ```
 *                0         10        20        30        40
 * source         --a---b-----c-----------------L-----------d---|     L: Left
 * snapshots(10)  ----------x---------y---------y---------L-----|     x: b at 10   y: c at 20, then at 30
 * ```
 *
 * - Data decides: if an event with a `receivedAt` of at least `at` arrives before the timer of `at` fires, the snapshots
 *   up to it come first. A value that was received before `at` belongs before it, also if it arrives in the millisecond of `at`:
 *   the timer fires after this millisecond, 1 ms later except in marble tests. An event without `receivedAt`, and a held value,
 *   count at their arrival. So a live run and its replay have the same snapshots, unlike with `interval` and `auditTime`.
 * - A `Left` is emitted at the next multiple, not at once, and again until the next value. A value may have become old
 *   since: a strategy that must stop at once also reads the source.
 * - After an event loop that was blocked for more than 500 ms, the source emits first, up to a second later. A `Left`
 *   then counts for the snapshots of this time too: the value before may be too old.
 * - After a pause of the process of more than a minute, such as a suspend, or of more than 1000 intervals, the snapshots of the
 *   pause are left out. If the clock is set back, the snapshots continue at its new time.
 * - Completion of the source completes at once; an Rx error passes at once.
 *
 * @param ms interval, in ms: 1 to 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(snapshots(1000)) // Observable<Either<PriceError, Snapshot<Price>>>
 */
export const snapshots = <E, A>(ms: number): EitherOperator<E, A, Either<E, Snapshot<A>>> => {
  checkValue('ms', ms, timerMsFrom(1), shown)
  return (source$) =>
    new Observable((subscriber) => {
      const window = new DataWindow(ms, rxClock.wallClock())
      let latest: Either<E, A> | undefined
      /** Emits the snapshots up to the window of a time, of the event that was in force until then. */
      const moveTo = (time: number, now: number, event: Either<E, A> | undefined): void => {
        const { number, to } = window
        if (!window.moveTo(time, now) || event === undefined || now - to > maxBlockedMs) return
        const { number: last } = window
        if (last - number > maxQuietWindows) return
        for (let next = number + 1; next <= last; next++) {
          subscriber.next(isLeft(event) ? event : right({ at: next * ms, value: event.right }))
        }
      }
      const startTimer = (): void => {
        if (subscriber.closed) return
        const timer = window.startTimer((time) => {
          moveTo(time, rxClock.wallClock(), latest)
          startTimer()
        })
        subscriber.add(timer)
      }
      return source$.pipe(whileOpen(subscriber)).subscribe({
        next: (event) => {
          const before = latest
          const now = rxClock.wallClock()
          // Changed before the emission, because a handler may cause further events.
          latest = event
          const isLost = isLeft(event) && now - window.to > maxLateMs
          moveTo(windowTimeOf(event, now), now, isLost && before !== undefined ? event : before)
          if (before === undefined) startTimer()
        },
        error: (thrown) => subscriber.error(thrown),
        complete: () => {
          const now = rxClock.wallClock()
          moveTo(now, now, latest)
          subscriber.complete()
        },
      })
    })
}
