import { asyncScheduler } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deadline$, delay$ } from '../../src/time/deadline.js'
import { marbles } from '../support/marbles.js'

const never = (): number => 0

describe('delay$', () => {
  it('emits once, and completes', () => {
    marbles(({ expectObservable }) => {
      expectObservable(delay$(5)).toBe('-----(u|)', { u: undefined })
      expectObservable(delay$(0)).toBe('(u|)', { u: undefined })
    })
  })

  it('is as long as it says, however long that is', () => {
    vi.useFakeTimers()
    const months = 3 * 2 ** 31 + 5
    let emitted = 0
    delay$(months).subscribe(() => emitted++)
    vi.advanceTimersByTime(months - 1)
    expect(emitted).toBe(0)
    vi.advanceTimersByTime(1)
    expect(emitted).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('comes though an action of `asyncScheduler` and its teardown have thrown', () => {
    vi.useFakeTimers()
    asyncScheduler.schedule(function () {
      this.add(() => {
        throw new Error('teardown')
      })
      throw new Error('action')
    }, 1)
    expect(() => vi.advanceTimersByTime(1)).toThrow()
    let emitted = 0
    delay$(5).subscribe(() => emitted++)
    vi.advanceTimersByTime(5)
    expect(emitted).toBe(1)
    // What Rx itself would say next: it stands still no longer for the tests that follow.
    Reflect.set(asyncScheduler, '_active', false)
  })

  it('leaves no timer behind when it is left', () => {
    vi.useFakeTimers()
    const waiting = delay$(2 ** 32).subscribe()
    vi.advanceTimersByTime(2 ** 31)
    waiting.unsubscribe()
    expect(vi.getTimerCount()).toBe(0)
  })

  afterEach(() => void vi.useRealTimers())
})

describe('deadline$', () => {
  it('is a delay in virtual time', () => {
    marbles(({ expectObservable }) => {
      expectObservable(deadline$(5, never)).toBe('-----(u|)', { u: undefined })
    })
  })

  /** How many poll phases pass from its timer to its decision, where each of the first brings something. */
  const phasesUntilDecided = (busyPhases: number): number => {
    vi.useFakeTimers()
    let seen = 0
    const decided: unknown[] = []
    deadline$(5, () => seen).subscribe((value) => decided.push(value))
    vi.advanceTimersToNextTimer()
    for (let phases = 0; phases < 1000; phases++) {
      if (decided.length > 0) return phases
      if (phases < busyPhases) seen++
      vi.advanceTimersToNextTimer()
    }
    return Infinity
  }

  it('lets a poll phase pass before it decides', () => {
    expect(phasesUntilDecided(0)).toBe(1)
  })

  it('lets more pass as long as they bring something', () => {
    expect(phasesUntilDecided(1)).toBe(2)
    expect(phasesUntilDecided(10)).toBe(11)
  })

  it('is not put off for ever by a peer that never pauses', () => {
    expect(phasesUntilDecided(Infinity)).toBe(64)
  })

  it('does not count what came before its time was over', () => {
    vi.useFakeTimers()
    let seen = 0
    let decided = false
    deadline$(5, () => seen).subscribe(() => (decided = true))
    vi.advanceTimersByTime(4)
    seen++
    vi.advanceTimersToNextTimer()
    expect(decided).toBe(false)
    vi.advanceTimersToNextTimer()
    expect(decided).toBe(true)
  })

  it('does not decide once it was left, not even between its timer and its decision', () => {
    vi.useFakeTimers()
    let decided = false
    const waiting = deadline$(5, never).subscribe(() => (decided = true))
    vi.advanceTimersToNextTimer()
    waiting.unsubscribe()
    vi.runAllTimers()
    expect(decided).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('holds for what a blocked event loop left unread: it is read first', async () => {
    const { port1, port2 } = new MessageChannel()
    let seen = 0
    port1.on('message', () => seen++)
    const decided = new Promise<number>((resolve) => {
      deadline$(1, () => seen).subscribe(() => resolve(seen))
    })
    port2.postMessage('before the deadline')
    const end = performance.now() + 20
    while (performance.now() < end);
    expect(await decided).toBe(1)
    port1.close()
  })

  afterEach(() => void vi.useRealTimers())
})
