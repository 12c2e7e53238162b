import { Subscription } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it } from 'vitest'
import { rxClock } from '../../../src/base/time/rx-clock.js'
import { realClock, virtualClock } from '../../../src/backtest/replay/replay-clock.js'
import { RowWaits } from '../../../src/backtest/replay/row-waits.js'

/** Schedules work at virtual times. */
const atTimes = (work: (at: (ms: number, what: () => void) => void) => void): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => work((ms, what) => scheduler.schedule(what, ms)))
}

describe('realClock', () => {
  it('returns the recorded distance, divided by the speed, less the elapsed time', () => {
    const waits: number[] = []
    atTimes((at) => {
      const clock = realClock(10, rxClock)
      at(0, () => waits.push(clock.msUntil(5000), clock.msUntil(6000)))
      at(40, () => waits.push(clock.msUntil(6000)))
      at(300, () => waits.push(clock.msUntil(6000), clock.msUntil(9000)))
    })
    expect(waits).toEqual([0, 100, 60, -200, 100])
  })

  it('continues after a pause from where it stopped', () => {
    const waits: number[] = []
    atTimes((at) => {
      const clock = realClock(1, rxClock)
      at(0, () => waits.push(clock.msUntil(5000)))
      at(4, () => clock.pause())
      at(700, () => {
        clock.resume()
        waits.push(clock.msUntil(5010), clock.msUntil(5020))
      })
    })
    expect(waits).toEqual([0, 6, 16])
  })
})

describe('virtualClock', () => {
  it('never waits', () => {
    expect(virtualClock.msUntil(5)).toBe(0)
  })
})

describe('RowWaits', () => {
  it('end when the replay closes, also before their start', async () => {
    const closing = new Subscription()
    const clock = realClock(1, rxClock)
    clock.msUntil(0)
    const [timed, held] = [new RowWaits(clock, rxClock, closing), new RowWaits(clock, rxClock, closing)]
    held.hold()
    const before = [timed.untilDue(2 ** 40), held.untilReleased()]
    closing.unsubscribe()
    await Promise.all([...before, timed.untilDue(2 ** 40), held.untilReleased()])
  })
})
