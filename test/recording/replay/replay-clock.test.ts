import { Subscription } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it } from 'vitest'
import { interruptibleDelay, realClock, virtualClock } from '../../../src/recording/replay/replay-clock.js'

/** Runs something in virtual time, moment by moment. */
const atTimes = (work: (at: (ms: number, what: () => void) => void) => void): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => work((ms, what) => scheduler.schedule(what, ms)))
}

describe('the recorded pace', () => {
  it('waits as long as it was, divided by the speed, whatever time it takes in between', () => {
    const waits: number[] = []
    atTimes((at) => {
      const clock = realClock(10)
      at(0, () => waits.push(clock.msUntil(5000), clock.msUntil(6000)))
      at(40, () => waits.push(clock.msUntil(6000)))
      at(300, () => waits.push(clock.msUntil(6000), clock.msUntil(9000)))
    })
    expect(waits).toEqual([0, 100, 60, -200, 100])
  })

  it('goes on where it stood still', () => {
    const waits: number[] = []
    atTimes((at) => {
      const clock = realClock(1)
      at(0, () => waits.push(clock.msUntil(5000)))
      at(4, () => clock.pause())
      at(700, () => {
        clock.resume()
        waits.push(clock.msUntil(5010), clock.msUntil(5020))
      })
    })
    expect(waits).toEqual([0, 6, 16])
  })

  it('begins anew where the recorded clock was set back', () => {
    const waits: number[] = []
    atTimes((at) => {
      const clock = realClock(1)
      at(0, () => waits.push(clock.msUntil(5000), clock.msUntil(9000)))
      at(10, () => waits.push(clock.msUntil(5200), clock.msUntil(5300)))
    })
    expect(waits).toEqual([0, 4000, 0, 100])
  })
})

describe('the virtual pace', () => {
  it('waits for nothing, and is at the time of what is done', () => {
    const clock = virtualClock()
    expect(clock.msUntil(5)).toBe(0)
    expect(clock.run(() => 'before its first moment')).toBe('before its first moment')
    const seen: number[] = []
    clock.runAt(5, () => seen.push(5))
    clock.runAt(9, () => seen.push(9))
    expect(seen).toEqual([5, 9])
  })
})

describe('a wait', () => {
  it('can be cut short, also before it begins', async () => {
    const interrupted = new Subscription()
    const waiting = interruptibleDelay(2 ** 40, interrupted)
    interrupted.unsubscribe()
    await waiting
    await interruptibleDelay(2 ** 40, interrupted)
  })
})
