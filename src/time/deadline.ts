import { Observable, Subscription } from 'rxjs'
import { maxTimerMs } from '../domain/interval.js'
import type { Clock } from './clock.js'

/** The maximum number of poll phases that a deadline waits for: a peer that never pauses must not postpone it forever. */
const maxPhases = 64

/** Calls back once after `ms` ms, of any length, unless unsubscribed. */
export const delay = (clock: Clock, ms: number, callback: () => void): Subscription => {
  const stop = clock.startInterval(
    () => {
      stop()
      if (ms <= maxTimerMs) callback()
      else subscription.add(delay(clock, ms - maxTimerMs, callback))
    },
    Math.min(ms, maxTimerMs),
  )
  const subscription = new Subscription(stop)
  return subscription
}

/**
 * Calls back once after `ms` ms and after the data that had arrived by then is read, unless unsubscribed. After a
 * blocked event loop Node runs timers before it reads sockets. The deadline therefore waits for one more poll phase, and
 * for further ones as long as they bring data. `activityCount` counts that data.
 */
export const deadline = (
  clock: Clock,
  ms: number,
  callback: () => void,
  activityCount: () => number = noActivity,
): Subscription => {
  const subscription = delay(clock, ms, () => {
    if (clock.isVirtual) callback()
    else subscription.add(afterReading(activityCount, callback))
  })
  return subscription
}

/** Like `delay`: emits once, then completes. */
export const delay$ = (clock: Clock, ms: number): Observable<void> =>
  once$((callback) => delay(clock, ms, callback))

/** Like `deadline`: emits once, then completes. */
export const deadline$ = (clock: Clock, ms: number, activityCount?: () => number): Observable<void> =>
  once$((callback) => deadline(clock, ms, callback, activityCount))

const once$ = (start: (callback: () => void) => Subscription): Observable<void> =>
  new Observable((subscriber) =>
    start(() => {
      subscriber.next()
      subscriber.complete()
    }),
  )

const noActivity = (): number => 0

const afterReading = (activityCount: () => number, callback: () => void): (() => void) => {
  const nextPhase = (phases: number, before: number): NodeJS.Immediate =>
    setImmediate(() => {
      const after = activityCount()
      if (after === before || phases === maxPhases) callback()
      else pending = nextPhase(phases + 1, after)
    })
  let pending = nextPhase(1, activityCount())
  return () => clearImmediate(pending)
}
