import { describe, expect, it } from 'vitest'
import { DeadlineTimer } from '../../src/time/deadline-timer.js'
import { virtually } from '../support/virtual.js'

/** When an alarm rings that is set at some times to others, and how many timers it leaves. */
const rings = (sets: readonly (readonly [at: number, due: number])[]): readonly [number[], number] => {
  const rung: number[] = []
  const timersLeft = virtually(({ at, now }) => {
    const alarm = new DeadlineTimer(
      () => 0,
      () => rung.push(now()),
    )
    for (const [time, due] of sets) at(time, () => alarm.set(due))
  })
  return [rung, timersLeft]
}

describe('an alarm', () => {
  it('rings once when it is due', () => {
    expect(rings([[0, 10]])).toEqual([[10], 0])
  })

  it('rings earlier where it is set to an earlier time, and no later where it is set to a later one', () => {
    expect(
      rings([
        [0, 10],
        [1, 5],
        [2, 20],
      ]),
    ).toEqual([[5], 0])
  })

  it('rings at once where it is late, and again when it is set again', () => {
    expect(
      rings([
        [7, 3],
        [9, 12],
      ]),
    ).toEqual([[7, 12], 0])
  })

  it('does not ring where nothing is due any more', () => {
    expect(
      rings([
        [0, 10],
        [4, Infinity],
      ]),
    ).toEqual([[], 0])
  })
})
