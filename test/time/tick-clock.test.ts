import { setImmediate as turn } from 'node:timers/promises'
import { asyncScheduler } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Moment } from '../../src/time/tick-clock.js'
import { marbles } from '../support/marbles.js'

describe('a moment', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('stands still until the event loop turns', async () => {
    const moment = new Moment()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1)
    moment.read()
    clock.mockReturnValue(2)
    moment.read()
    expect(moment.wallClock).toBe(1)
    const before = moment.elapsed
    await turn()
    moment.read()
    expect(moment.wallClock).toBe(2)
    expect(moment.elapsed).toBeGreaterThan(before)
  })

  it('moves with virtual time, which has no turns', () => {
    const moment = new Moment()
    const read: number[][] = []
    marbles(() => {
      for (const ms of [0, 5]) {
        asyncScheduler.schedule(() => {
          moment.read()
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
