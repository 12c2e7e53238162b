import { setImmediate as turn } from 'node:timers/promises'
import { asyncScheduler } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { rxClock } from '../../../src/base/time/rx-clock.js'
import { TickClock } from '../../../src/base/time/tick-clock.js'
import { marbles } from '../../support/time/marbles.js'

describe('TickClock', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('reads the clocks once per tick', async () => {
    const clock = new TickClock(rxClock, () => undefined)
    const dateNow = vi.spyOn(Date, 'now').mockReturnValue(1)
    clock.refresh()
    dateNow.mockReturnValue(2)
    clock.refresh()
    expect(clock.wallClock).toBe(1)
    const before = clock.elapsed
    await turn()
    clock.refresh()
    expect(clock.wallClock).toBe(2)
    expect(clock.elapsed).toBeGreaterThan(before)
  })

  it('reads them again for each price of a tick, because any handler may take seconds', () => {
    let ms = 1_000
    const clock = { ...rxClock, isVirtual: false, elapsed: () => ms, wallClock: () => 1_700_000_000_000 + ms }
    const tickClock = new TickClock(clock, () => undefined)
    for (let price = 1; price <= 20; price++) {
      ms += price === 13 ? 3_000 : 0.001
      tickClock.advance()
      expect(tickClock.elapsed).toBe(ms)
      expect(Math.abs(tickClock.wallClock - clock.wallClock())).toBeLessThan(1)
    }
  })

  it('reads the clocks each time in virtual time', () => {
    const clock = new TickClock(rxClock, () => undefined)
    const read: number[][] = []
    marbles(() => {
      for (const ms of [0, 5]) {
        asyncScheduler.schedule(() => {
          clock.refresh()
          read.push([clock.elapsed, clock.wallClock])
        }, ms)
      }
    })
    expect(read).toEqual([
      [0, 0],
      [5, 5],
    ])
  })

  /** The suspends that a clock reports while the two times of the system proceed by these steps, in ms. */
  const suspendsOf = async (
    steps: readonly (readonly [elapsed: number, wallClock: number])[],
    isVirtual = false,
  ): Promise<readonly number[]> => {
    const suspends: number[] = []
    let elapsed = 1_000
    let wallClock = 1_700_000_000_000
    const clock = { ...rxClock, isVirtual, elapsed: () => elapsed, wallClock: () => wallClock }
    const tickClock = new TickClock(clock, (ms) => suspends.push(ms))
    for (const step of steps) {
      elapsed += step[0]
      wallClock += step[1]
      tickClock.refresh()
      // The next reading is one of the next tick.
      await turn()
    }
    return suspends
  }

  it('reports a suspend of the machine once', async () => {
    expect(
      await suspendsOf([
        [10, 10],
        [5, 3_600_005],
        [10, 10],
        [0, 60_000],
      ]),
    ).toEqual([3_600_000, 60_000])
  })

  it('reports no suspend when the wall clock is set back or adjusted, and none after a blocked event loop', async () => {
    expect(
      await suspendsOf([
        [10, -3_600_000],
        [10, 2_010],
        [10, -2_000],
        [60_000, 60_000],
      ]),
    ).toEqual([])
  })

  it('reports a suspend when the monotonic clock proceeds for longer than a loop is blocked, in real time', async () => {
    const steps = [[60_001, 60_001]] as const
    expect(await suspendsOf(steps)).toEqual([0])
    expect(await suspendsOf(steps, true)).toEqual([])
  })
})
