import { describe, expect, it } from 'vitest'
import { rxClock } from '../../src/time/rx-clock.js'
import { DeadlineTimer } from '../../src/time/deadline-timer.js'
import { runInVirtualTime } from '../support/time/virtual-time.js'

/** Sets a timer at each `setAt` to `dueAt`. Returns the times at which it fires and the number of remaining timers. */
const firesOf = (
  sets: readonly (readonly [setAt: number, dueAt: number])[],
): readonly [readonly number[], number] => {
  const fires: number[] = []
  const remainingTimers = runInVirtualTime(({ at, now }) => {
    const timer = new DeadlineTimer(
      rxClock,
      () => 0,
      () => fires.push(now()),
    )
    for (const [setAt, dueAt] of sets) at(setAt, () => timer.set(dueAt))
  })
  return [fires, remainingTimers]
}

describe('DeadlineTimer', () => {
  it('fires once at its deadline', () => {
    expect(firesOf([[0, 10]])).toEqual([[10], 0])
  })

  it('fires earlier when set to an earlier deadline, and no later when set to a later one', () => {
    expect(
      firesOf([
        [0, 10],
        [1, 5],
        [2, 20],
      ]),
    ).toEqual([[5], 0])
  })

  it('fires at once when the deadline has passed, and again when it is set again', () => {
    expect(
      firesOf([
        [7, 3],
        [9, 12],
      ]),
    ).toEqual([[7, 12], 0])
  })

  it('does not fire after it is set to Infinity', () => {
    expect(
      firesOf([
        [0, 10],
        [4, Infinity],
      ]),
    ).toEqual([[], 0])
  })
})
