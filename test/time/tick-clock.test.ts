import { setImmediate as turn } from 'node:timers/promises'
import { asyncScheduler } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TickClock } from '../../src/time/tick-clock.js'
import { marbles } from '../support/marbles.js'

describe('a moment', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('stands still until the event loop turns', async () => {
    const moment = new TickClock()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1)
    moment.refresh()
    clock.mockReturnValue(2)
    moment.refresh()
    expect(moment.wallClock).toBe(1)
    const before = moment.elapsed
    await turn()
    moment.refresh()
    expect(moment.wallClock).toBe(2)
    expect(moment.elapsed).toBeGreaterThan(before)
  })

  it('moves with virtual time, which has no turns', () => {
    const moment = new TickClock()
    const read: number[][] = []
    marbles(() => {
      for (const ms of [0, 5]) {
        asyncScheduler.schedule(() => {
          moment.refresh()
          read.push([moment.elapsed, moment.wallClock])
        }, ms)
      }
    })
    expect(read).toEqual([
      [0, 0],
      [5, 5],
    ])
  })
})
