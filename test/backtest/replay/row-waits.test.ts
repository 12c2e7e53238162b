import { Subscription } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { describe, expect, it } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import { RowWaits } from '../../../src/backtest/replay/row-waits.js'

/** Schedules work at virtual times. */
const atTimes = (work: (at: (ms: number, what: () => void) => void) => void): void => {
  const scheduler = new TestScheduler(() => undefined)
  scheduler.run(() => work((ms, what) => scheduler.schedule(what, ms)))
}

describe('RowWaits', () => {
  it('a row is due after its recorded distance, divided by the speed', () => {
    const due: boolean[] = []
    atTimes((at) => {
      const waits = new RowWaits(10, rxClock, new Subscription())
      at(0, () => due.push(waits.isDue(5000), waits.isDue(6000)))
      at(99, () => due.push(waits.isDue(6000)))
      at(100, () => due.push(waits.isDue(6000), waits.isDue(6010)))
    })
    expect(due).toEqual([true, false, false, true, false])
  })

  it('every row is due at the speed Infinity', () => {
    expect(new RowWaits(Infinity, rxClock, new Subscription()).isDue(2 ** 40)).toBe(true)
  })

  it('end when the replay closes, also before their start', async () => {
    const closing = new Subscription()
    const create = (): RowWaits => {
      const waits = new RowWaits(1, rxClock, closing)
      waits.isDue(0)
      return waits
    }
    const [timed, held] = [create(), create()]
    held.hold()
    const before = [timed.untilDue(2 ** 40), held.untilReleased()]
    closing.unsubscribe()
    await Promise.all([...before, timed.untilDue(2 ** 40), held.untilReleased()])
  })
})
