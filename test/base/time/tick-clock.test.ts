import { setImmediate as turn } from 'node:timers/promises'
import { asyncScheduler } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { rxClock, TickClock } from '../../../src/base/time/clock.js'
import { marbles } from '../../support/time/marbles.js'

describe('TickClock', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('reads the clocks once per tick', async () => {
    const clock = new TickClock(rxClock)
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
    const tickClock = new TickClock(clock)
    for (let price = 1; price <= 20; price++) {
      ms += price === 13 ? 3_000 : 0.001
      tickClock.advance()
      expect(tickClock.elapsed).toBe(ms)
      expect(Math.abs(tickClock.wallClock - clock.wallClock())).toBeLessThan(1)
    }
  })

  it('reads the clocks each time in virtual time', () => {
    const clock = new TickClock(rxClock)
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
})
