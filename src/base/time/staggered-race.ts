import { isRight, left, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Cancel } from '../task/cancellable-task.js'
import type { Clock } from './clock.js'
import { delay } from './deadline.js'

/** Starts an attempt. `onEnd` is called at most once, asynchronously. Returns a function that cancels the attempt. */
export type StartAttempt<A, E, B> = (candidate: A, onEnd: (result: Either<E, B>) => void) => Cancel

/**
 * Tries the candidates in order, until one succeeds: the next one when an attempt fails, and also `staggerTime` ms after the
 * last one has started. Attempts have no other limit. Calls `onResult` once, with the first result, or with the errors of
 * all candidates in the order of the failures. The other attempts are cancelled then. Returns a function that cancels all.
 */
export const staggeredRace = <A, E, B>(
  candidates: readonly A[],
  staggerTime: number,
  clock: Clock,
  start: StartAttempt<A, E, B>,
  onResult: (result: Either<readonly E[], B>) => void,
): Cancel => {
  const waiting = [...candidates]
  const attempts = new Set<Cancel>()
  const failures: E[] = []
  let timer = new Subscription()

  const cancel = (): void => {
    timer.unsubscribe()
    waiting.length = 0
    for (const cancelAttempt of attempts) cancelAttempt()
    attempts.clear()
  }
  const startNext = (): void => {
    timer.unsubscribe()
    const [candidate] = waiting.splice(0, 1)
    if (candidate === undefined) return
    if (waiting.length > 0) timer = delay(clock, staggerTime, startNext)
    const cancelAttempt = start(candidate, (result) => {
      if (!attempts.delete(cancelAttempt)) return
      if (isRight(result)) {
        cancel()
        onResult(result)
        return
      }
      failures.push(result.left)
      if (waiting.length > 0) startNext()
      else if (attempts.size === 0) onResult(left(failures))
    })
    attempts.add(cancelAttempt)
  }
  startNext()
  return cancel
}
