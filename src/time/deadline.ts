import { concatMap, Observable, of, timer } from 'rxjs'
import { isVirtualTime } from './clock.js'

/** The longest delay that the platform's timers take, in ms; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1

/** Poll phases to wait for at most: a peer that never pauses must not put a deadline off for ever. */
const maxPhases = 64

/** Emits once, `ms` after it is subscribed to, however long that is. */
export const delay$ = (ms: number): Observable<unknown> =>
  ms <= longestTimer ? timer(ms) : timer(longestTimer).pipe(concatMap(() => delay$(ms - longestTimer)))

/**
 * A deadline that is fair to the peer: it decides only after what had arrived by then has been read. When the
 * event loop was blocked, Node runs timers before it reads sockets, so a deadline that fires must let poll phases
 * pass: one, and more as long as they bring something, which `seen` counts.
 */
export const deadline$ = (ms: number, seen: () => number = nothing): Observable<unknown> =>
  delay$(ms).pipe(concatMap(() => (isVirtualTime() ? of(undefined) : afterReading$(seen))))

const nothing = (): number => 0

const afterReading$ = (seen: () => number): Observable<void> =>
  new Observable((subscriber) => {
    const wait = (phases: number, before: number): NodeJS.Immediate =>
      setImmediate(() => {
        const after = seen()
        if (after !== before && phases < maxPhases) {
          pending = wait(phases + 1, after)
        } else {
          subscriber.next()
          subscriber.complete()
        }
      })
    let pending = wait(1, seen())
    return () => clearImmediate(pending)
  })
