import { MessageChannel } from 'node:worker_threads'
import { asyncScheduler } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import { deadline$, delay$ } from '../../../src/base/time/timers.js'
import { marbles } from '../../support/time/marbles.js'

const noActivity = (): number => 0

describe('delay$', () => {
  it('emits once and completes', () => {
    marbles(({ expectObservable }) => {
      expectObservable(delay$(rxClock, 5)).toBe('-----(u|)', { u: undefined })
      expectObservable(delay$(rxClock, 0)).toBe('(u|)', { u: undefined })
    })
  })

  it('emits after a delay longer than the maximum of a platform timer', () => {
    vi.useFakeTimers()
    const months = 3 * 2 ** 31 + 5
    let emitted = 0
    delay$(rxClock, months).subscribe(() => emitted++)
    vi.advanceTimersByTime(months - 1)
    expect(emitted).toBe(0)
    vi.advanceTimersByTime(1)
    expect(emitted).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('emits after an action of `asyncScheduler` and its teardown have thrown', () => {
    vi.useFakeTimers()
    asyncScheduler.schedule(function () {
      this.add(() => {
        throw new Error('teardown')
      })
      throw new Error('action')
    }, 1)
    expect(() => vi.advanceTimersByTime(1)).toThrow()
    let emitted = 0
    delay$(rxClock, 5).subscribe(() => emitted++)
    vi.advanceTimersByTime(5)
    expect(emitted).toBe(1)
    // RxJS considers the scheduler active for ever after this; reset it for the next tests.
    Reflect.set(asyncScheduler, '_active', false)
  })

  it('leaves no timer after an unsubscribe', () => {
    vi.useFakeTimers()
    const subscription = delay$(rxClock, 2 ** 32).subscribe()
    vi.advanceTimersByTime(2 ** 31)
    subscription.unsubscribe()
    expect(vi.getTimerCount()).toBe(0)
  })

  afterEach(() => void vi.restoreAllMocks().useRealTimers())
})

describe('deadline$', () => {
  it('emits after the delay in virtual time', () => {
    marbles(({ expectObservable }) => {
      expectObservable(deadline$(rxClock, 5, noActivity)).toBe('-----(u|)', { u: undefined })
    })
  })

  /** Lets the deadline wait for one poll phase: a timer and an immediate. */
  const advancePhase = (): void => {
    vi.advanceTimersToNextTimer()
    vi.advanceTimersToNextTimer()
  }

  /**
   * The number of poll phases between the timer and the emission, if each of the first `busyPhases` brings data. A phase
   * takes `phaseMs`.
   */
  const phasesUntilEmitted = (busyPhases: number, phaseMs = 0): number => {
    vi.useFakeTimers()
    let elapsed = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => elapsed)
    let activity = 0
    const emitted: unknown[] = []
    deadline$(rxClock, 5, () => activity).subscribe((value) => emitted.push(value))
    vi.advanceTimersToNextTimer()
    for (let phases = 0; phases < 1000; phases++) {
      if (emitted.length > 0) return phases
      if (phases < busyPhases) activity++
      elapsed += phaseMs
      advancePhase()
    }
    return Infinity
  }

  it('waits for one poll phase', () => {
    expect(phasesUntilEmitted(0)).toBe(1)
  })

  it('waits for further poll phases as long as they bring data', () => {
    expect(phasesUntilEmitted(1)).toBe(2)
    expect(phasesUntilEmitted(10)).toBe(11)
  })

  it('emits after 64 poll phases, even if each brings data', () => {
    expect(phasesUntilEmitted(Infinity)).toBe(64)
  })

  it('emits after one second of poll phases that bring data, but not before the eighth', () => {
    expect(phasesUntilEmitted(Infinity, 50)).toBe(20)
    expect(phasesUntilEmitted(Infinity, 500)).toBe(8)
  })

  it('waits for a further poll phase after one in which the event loop was blocked', () => {
    vi.useFakeTimers()
    const emitted: unknown[] = []
    deadline$(rxClock, 5, noActivity).subscribe((value) => emitted.push(value))
    vi.advanceTimersToNextTimer()
    // Only the clock proceeds, as during a long callback.
    const elapsed = performance.now()
    vi.spyOn(performance, 'now').mockReturnValueOnce(elapsed + 1000)
    advancePhase()
    expect(emitted).toHaveLength(0)
    advancePhase()
    expect(emitted).toHaveLength(1)
  })

  it('does not count data that arrived before the delay was over', () => {
    vi.useFakeTimers()
    let activity = 0
    let isEmitted = false
    deadline$(rxClock, 5, () => activity).subscribe(() => (isEmitted = true))
    vi.advanceTimersByTime(4)
    activity++
    vi.advanceTimersToNextTimer()
    expect(isEmitted).toBe(false)
    advancePhase()
    expect(isEmitted).toBe(true)
  })

  it('does not emit after an unsubscribe between the timer and the poll phase', () => {
    vi.useFakeTimers()
    let isEmitted = false
    const subscription = deadline$(rxClock, 5, noActivity).subscribe(() => (isEmitted = true))
    vi.advanceTimersToNextTimer()
    subscription.unsubscribe()
    vi.runAllTimers()
    expect(isEmitted).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('emits after the data that arrived while the event loop was blocked is read', async () => {
    const { port1, port2 } = new MessageChannel()
    let activity = 0
    port1.on('message', () => activity++)
    const activityAtDeadline = new Promise<number>((resolve) => {
      deadline$(rxClock, 1, () => activity).subscribe(() => resolve(activity))
    })
    port2.postMessage('before the deadline')
    const end = performance.now() + 20
    while (performance.now() < end);
    expect(await activityAtDeadline).toBe(1)
    port1.close()
  })

  afterEach(() => void vi.restoreAllMocks().useRealTimers())
})
