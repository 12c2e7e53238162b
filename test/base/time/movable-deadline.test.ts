import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { deadline, MovableDeadline } from '../../../src/base/time/timers.js'
import { type Clock, rxClock } from '../../../src/base/time/clock.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

/** A deadline that each restart moves by `ms`. */
const restartable = (clock: Clock, ms: number, onDeadline: () => void) => {
  const subject = new MovableDeadline(clock, onDeadline)
  return { restart: () => subject.set(clock.elapsed() + ms), stop: () => subject.stop() }
}

describe('MovableDeadline', () => {
  it('calls back at the same times as a deadline that each restart replaces', () => {
    const step = fc.record({ gap: fc.nat(12), stops: fc.constantFrom(false, false, false, true) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: '+1' }), fc.nat(10), (steps, ms) => {
        const timesOf = (start: (callback: () => void) => { restart(): void; stop(): void }) => {
          const times: number[] = []
          runInVirtualTime(({ at, now }) => {
            const subject = start(() => times.push(now()))
            let time = 0
            for (const { gap, stops } of steps) {
              time += gap
              at(time, () => (stops ? subject.stop() : subject.restart()))
            }
          })
          return times
        }
        const replaced = (callback: () => void) => {
          let pending = deadline(rxClock, 0, () => undefined)
          const stop = (): void => pending.unsubscribe()
          const restart = (): void => {
            stop()
            pending = deadline(rxClock, ms, callback)
          }
          stop()
          return { restart, stop }
        }
        const restarted = (callback: () => void) => restartable(rxClock, ms, callback)
        expect(timesOf(restarted)).toEqual(timesOf(replaced))
      }),
    )
  })
})

it('calls back for a deadline that has passed although it is set again in each turn of the event loop', async () => {
  const dueAt = rxClock.elapsed() + 20
  const hasCalledBack = await new Promise<boolean>((resolve) => {
    let remaining = 1_000_000
    let isOver = false
    const subject = new MovableDeadline(rxClock, () => {
      isOver = true
      resolve(true)
    })
    const turn = (): void => {
      if (isOver) return
      if (remaining-- > 0) {
        subject.set(dueAt)
        setImmediate(turn)
      } else {
        subject.stop()
        resolve(false)
      }
    }
    turn()
  })
  expect(hasCalledBack).toBe(true)
})

describe('MovableDeadline in real time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.restoreAllMocks().useRealTimers())

  const start = (ms: number) => {
    const times: number[] = []
    const startedAt = performance.now()
    const subject = restartable(rxClock, ms, () => times.push(performance.now() - startedAt))
    return { subject, times }
  }

  it('starts one timer per period, however often it is restarted', () => {
    const timers = vi.spyOn(globalThis, 'setInterval')
    const { subject, times } = start(100)
    for (let time = 0; time < 1000; time++) {
      subject.restart()
      vi.advanceTimersByTime(1)
    }
    expect(timers.mock.calls.length).toBeLessThanOrEqual(11)
    expect(vi.getTimerCount()).toBe(1)
    expect(times).toEqual([])
    vi.advanceTimersByTime(200)
    expect(times).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not call back early when the remainder is not a whole number of ms', () => {
    let elapsed = 0
    const clock = { ...rxClock, isVirtual: false, elapsed: () => elapsed }
    let isOver = false
    const subject = restartable(clock, 10, () => (isOver = true))
    subject.restart()
    elapsed = 0.3
    subject.restart()
    elapsed = 10
    vi.advanceTimersByTime(10)
    vi.advanceTimersByTime(0)
    expect(isOver).toBe(false)
    elapsed = 11
    vi.advanceTimersByTime(1)
    vi.advanceTimersByTime(5)
    expect(isOver).toBe(true)
  })

  it('replaces a timer that is late', () => {
    const clock = { ...rxClock, isVirtual: false, elapsed: () => elapsed }
    let elapsed = 0
    let isOver = false
    const subject = restartable(clock, 100, () => (isOver = true))
    subject.restart()
    elapsed = 130
    subject.restart()
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(99)
    expect(isOver).toBe(false)
    elapsed = 230
    vi.advanceTimersByTime(10)
    expect(isOver).toBe(true)
  })

  it('counts from a restart while it waits for the data that has arrived', () => {
    const { subject, times } = start(100)
    subject.restart()
    vi.advanceTimersToNextTimer()
    expect(times).toEqual([])
    subject.restart()
    vi.advanceTimersByTime(99)
    expect(times).toEqual([])
    vi.advanceTimersByTime(10)
    expect(times).toHaveLength(1)
  })

  it('has no timer after stop', () => {
    const { subject, times } = start(100)
    subject.restart()
    subject.stop()
    expect(vi.getTimerCount()).toBe(0)
    subject.restart()
    vi.advanceTimersToNextTimer()
    subject.stop()
    vi.advanceTimersByTime(1000)
    expect([vi.getTimerCount(), times.length]).toEqual([0, 0])
  })
})

/** Sets a timer at each `setAt` to `dueAt`. Returns the times at which it fires and the number of remaining timers. */
const firesOf = (
  sets: readonly (readonly [setAt: number, dueAt: number])[],
): readonly [readonly number[], number] => {
  const fires: number[] = []
  const remainingTimers = runInVirtualTime(({ at, now }) => {
    const timer = new MovableDeadline(rxClock, () => fires.push(now()))
    for (const [setAt, dueAt] of sets) at(setAt, () => timer.set(dueAt))
  })
  return [fires, remainingTimers]
}

describe('MovableDeadline, set to a time', () => {
  it('fires once at its deadline', () => {
    expect(firesOf([[0, 10]])).toEqual([[10], 0])
  })

  it('fires at the time that was set last, earlier or later', () => {
    expect(
      firesOf([
        [0, 10],
        [1, 5],
        [2, 20],
      ]),
    ).toEqual([[20], 0])
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
