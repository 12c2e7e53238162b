import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { callAtOnce, type Clock, rxClock } from '../../../src/base/time/clock.js'
import { delay$, responsiveDeadline, ResponsiveDeadlines } from '../../../src/base/time/timers.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

/** A clock whose timers are late by a number of ms each, the last of them by none. */
const lateClock = (latenesses: readonly number[]): { readonly clock: Clock; readonly run: () => number } => {
  let time = 0
  let timers = 0
  const pending = new Set<{ readonly dueAt: number; readonly callback: () => void }>()
  const clock: Clock = {
    ...rxClock,
    isVirtual: false,
    elapsed: () => time,
    startInterval: (callback, ms) => {
      const timer = { dueAt: time + ms + (latenesses[timers++] ?? 0), callback }
      pending.add(timer)
      return () => void pending.delete(timer)
    },
    afterRead: callAtOnce,
  }
  const run = (): number => {
    // A timer that a callback starts is part of the loop.
    for (const { dueAt, callback } of pending) {
      time = dueAt
      callback()
    }
    return time
  }
  return { clock, run }
}

describe('responsiveDeadline', () => {
  it('calls back after the delay in virtual time', () => {
    const calls: number[] = []
    runInVirtualTime(({ now }) => void responsiveDeadline(rxClock, 500, () => calls.push(now())))
    expect(calls).toEqual([500])
  })

  it('does not count the time in which the event loop was blocked', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100_000 }))),
        (ms, latenesses) => {
          const { clock, run } = lateClock(latenesses)
          let calledAt = NaN
          let used = 0
          const counting: Clock = {
            ...clock,
            startInterval: (callback, delay) => {
              used++
              return clock.startInterval(callback, delay)
            },
          }
          responsiveDeadline(counting, ms, () => (calledAt = clock.elapsed()))
          run()
          const late = latenesses.slice(0, used)
          const responsive = calledAt - late.reduce((sum, lateness) => sum + lateness, 0)
          expect(responsive).toBeGreaterThanOrEqual(ms - 1)
        },
      ),
    )
  })

  it('counts a late timer as its length', () => {
    const { clock, run } = lateClock(new Array<number>(1000).fill(200))
    let called = 0
    responsiveDeadline(clock, 1000, () => called++)
    expect(run()).toBe(1000 + 20 * 200)
    expect(called).toBe(1)
  })

  it('counts a lateness that a busy machine causes', () => {
    const { clock, run } = lateClock(new Array<number>(100).fill(3))
    responsiveDeadline(clock, 1000, () => undefined)
    expect(run()).toBe(1060)
  })

  it('does not call back after an unsubscribe', () => {
    const { clock, run } = lateClock([0, 200])
    let called = 0
    const subscription = responsiveDeadline(clock, 100, () => called++)
    delay$(clock, 0).subscribe(() => subscription.unsubscribe())
    run()
    expect(called).toBe(0)
  })
})

describe('ResponsiveDeadlines', () => {
  afterEach(() => void vi.restoreAllMocks().useRealTimers())

  it('calls each back at its own time, unless it is cancelled', () => {
    const step = fc.record({ startsAt: fc.nat(50), lasts: fc.option(fc.nat(20), { nil: undefined }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 15 }), (steps, ms) => {
        const times: (number | undefined)[] = steps.map(() => undefined)
        const remainingTimers = runInVirtualTime(({ at, now }) => {
          const deadlines = new ResponsiveDeadlines(rxClock, ms)
          for (const [index, { startsAt, lasts }] of steps.entries())
            at(startsAt, () => {
              const cancel = deadlines.start(() => (times[index] = now()))
              if (lasts !== undefined) at(startsAt + lasts, cancel)
            })
        })
        // A test cancels in the same ms before or after the deadline.
        const isExpected = ({ startsAt, lasts = Infinity }: (typeof steps)[number], index: number) =>
          lasts === ms || times[index] === (lasts < ms ? undefined : startsAt + ms)
        expect(steps.every(isExpected)).toBe(true)
        expect(remainingTimers).toBe(0)
      }),
    )
  })

  it('has one timer for a thousand deadlines, and none after the last is cancelled', () => {
    vi.useFakeTimers()
    const deadlines = new ResponsiveDeadlines(rxClock, 1000)
    const cancels = Array.from({ length: 1000 }, () => deadlines.start(() => undefined))
    vi.advanceTimersByTime(60)
    expect(vi.getTimerCount()).toBe(1)
    for (const cancel of cancels) cancel()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('calls the others back if a callback throws or cancels', () => {
    vi.useFakeTimers()
    const called: string[] = []
    const deadlines = new ResponsiveDeadlines(rxClock, 100)
    deadlines.start(() => {
      called.push('throws')
      cancel()
      throw new Error('callback')
    })
    const cancel = deadlines.start(() => called.push('cancelled'))
    deadlines.start(() => called.push('last'))
    expect(() => vi.advanceTimersByTime(1000)).toThrow('callback')
    vi.advanceTimersByTime(1000)
    expect(called).toEqual(['throws', 'last'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('knows until when what has arrived was read, but not within 500 ms after the event loop was blocked', () => {
    const { clock, step } = steppedClock()
    const deadlines = new ResponsiveDeadlines(clock, 60_000)
    deadlines.start(() => undefined)
    step(50)
    step(50)
    expect(deadlines.readUntil).toBe(50)
    step(9_000)
    expect(deadlines.readUntil).toBe(50)
    for (let time = 0; time < 500; time += 50) step(50)
    expect(deadlines.readUntil).toBe(50)
    step(50)
    expect(deadlines.readUntil).toBe(9_600)
  })
})

/** A clock whose only timer fires at each step. */
const steppedClock = (): { readonly clock: Clock; readonly step: (ms: number) => void } => {
  let time = 0
  let timer: (() => void) | undefined
  const clock: Clock = {
    ...rxClock,
    isVirtual: false,
    elapsed: () => time,
    startInterval: (callback) => {
      timer = callback
      return () => (timer = undefined)
    },
    afterRead: callAtOnce,
  }
  const step = (ms: number): void => {
    time += ms
    timer?.()
  }
  return { clock, step }
}
