import { TestScheduler } from 'rxjs/testing'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { currentClock, rxClock, type Clock } from '../../../src/base/time/clock.js'
import { VirtualTime } from '../../../src/backtest/replay/virtual-time.js'

const createVirtualTime = (start: number): VirtualTime => {
  const virtual = new VirtualTime(start)
  onTestFinished(() => virtual.dispose())
  return virtual
}

/** Runs work inside `TestScheduler.run`. */
const runInTestScheduler = (work: () => void): void => {
  new TestScheduler(() => undefined).run(work)
}

/** Starts an immediate and an interval. Resolves to the order in which they call back, without help of the test. */
const realTimersOf = (clock: Clock): Promise<readonly string[]> =>
  new Promise((resolve) => {
    const calls: string[] = []
    clock.startImmediate(() => calls.push('immediate'))
    const stop = clock.startInterval(() => {
      stop()
      calls.push('interval')
      resolve(calls)
    }, 1)
  })

describe('currentClock', () => {
  afterEach(() => void vi.useRealTimers())

  it('keeps real times and timers in virtual time when it is captured in real time', async () => {
    const clock = currentClock()
    const virtual = createVirtualTime(0)
    for (const runInside of [(work: () => void) => virtual.run(work), runInTestScheduler]) {
      let stop: (() => void) | undefined
      let calls = 0
      const fired = new Promise<void>((resolve) => {
        runInside(() => {
          expect(clock.isVirtual).toBe(false)
          expect(clock.wallClock()).toBeGreaterThan(1e12)
          expect(clock.elapsed()).toBeGreaterThan(0)
          stop = clock.startInterval(() => {
            calls++
            resolve()
          }, 1)
        })
      })
      await fired
      // A real timer must also stop when it is stopped in virtual time.
      runInside(() => stop?.())
      const callsBefore = calls
      // The later interval would fire after this one.
      await realTimersOf(clock)
      expect(calls).toBe(callsBefore)
    }
  })

  it('keeps real times and timers under fake timers when it is captured in real time', async () => {
    const clock = currentClock()
    const before = clock.elapsed()
    vi.useFakeTimers({ now: 0 })
    expect(clock.wallClock()).toBeGreaterThan(1e12)
    expect(clock.elapsed()).toBeGreaterThanOrEqual(before)
    expect(await realTimersOf(clock)).toEqual(['immediate', 'interval'])
  })

  it('follows fake timers when it is captured under fake timers', () => {
    vi.useFakeTimers({ now: 5 })
    const clock = currentClock()
    const fired: number[] = []
    const stop = clock.startInterval(() => fired.push(clock.wallClock()), 10)
    vi.advanceTimersByTime(20)
    stop()
    vi.advanceTimersByTime(20)
    expect(fired).toEqual([15, 25])
  })

  it('keeps the virtual times and timers under which it is captured', () => {
    const virtual = createVirtualTime(5)
    const clock = virtual.run(currentClock)
    expect([clock.isVirtual, clock.wallClock(), clock.elapsed()]).toEqual([true, 5, 5])
    const fired: number[] = []
    const start = (): void => {
      clock.startImmediate(() => fired.push(clock.elapsed()))
      const stop = clock.startInterval(() => {
        fired.push(clock.elapsed())
        stop()
      }, 10)
    }
    start()
    createVirtualTime(0).run(start)
    virtual.run(() => virtual.advance(100))
    expect(fired).toEqual([5, 5, 15, 15])
  })

  it('starts real timers once its virtual time is disposed of', async () => {
    const virtual = createVirtualTime(5)
    const clock = virtual.run(currentClock)
    virtual.dispose()
    expect(await realTimersOf(clock)).toEqual(['immediate', 'interval'])
  })

  it('is the clock of RxJS inside `TestScheduler.run`', () => {
    let clock: Clock | undefined
    runInTestScheduler(() => {
      clock = currentClock()
    })
    expect(clock).toBe(rxClock)
  })
})
