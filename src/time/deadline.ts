import { Observable, Subscription } from 'rxjs'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { isVirtualTime } from './clock.js'

/** The longest delay that the platform's timers take, in ms; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1

/** Poll phases to wait for at most: a peer that never pauses must not put a deadline off for ever. */
const maxPhases = 64

/**
 * Calls once, in `ms`, however long that is, unless it is unsubscribed from. It is what `asyncScheduler` runs on, and
 * not that itself: where a teardown throws in an action of anybody's, it stands still for good.
 */
export const delay = (ms: number, passed: () => void): Subscription => {
  const handle = intervalProvider.setInterval(
    () => {
      intervalProvider.clearInterval(handle)
      if (ms <= longestTimer) passed()
      else waiting.add(delay(ms - longestTimer, passed))
    },
    Math.min(ms, longestTimer),
  )
  const waiting = new Subscription(() => intervalProvider.clearInterval(handle))
  return waiting
}

/**
 * A deadline that is fair to the peer: it decides only after what had arrived by then has been read. When the
 * event loop was blocked, Node runs timers before it reads sockets, so a deadline that fires must let poll phases
 * pass: one, and more as long as they bring something, which `seen` counts. Calls once, unless unsubscribed from.
 */
export const deadline = (ms: number, reached: () => void, seen: () => number = noActivity): Subscription => {
  const waiting = delay(ms, () => {
    if (isVirtualTime()) reached()
    else waiting.add(afterReading(seen, reached))
  })
  return waiting
}

/** As `delay`: emits once, then completes. */
export const delay$ = (ms: number): Observable<void> => once$((passed) => delay(ms, passed))

/** As `deadline`: emits once, then completes. */
export const deadline$ = (ms: number, seen?: () => number): Observable<void> =>
  once$((reached) => deadline(ms, reached, seen))

const once$ = (wait: (over: () => void) => Subscription): Observable<void> =>
  new Observable((subscriber) =>
    wait(() => {
      subscriber.next()
      subscriber.complete()
    }),
  )

const noActivity = (): number => 0

const afterReading = (seen: () => number, read: () => void): (() => void) => {
  const wait = (phases: number, before: number): NodeJS.Immediate =>
    setImmediate(() => {
      const after = seen()
      if (after === before || phases === maxPhases) read()
      else pending = wait(phases + 1, after)
    })
  let pending = wait(1, seen())
  return () => clearImmediate(pending)
}
