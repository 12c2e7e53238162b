import { describe, expect, it } from 'vitest'
import { asap } from '../../../src/base/time/timers.js'
import { rxClock } from '../../../src/base/time/clock.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { nextTurn } from '../../support/time/event-loop.js'

describe('asap', () => {
  it('calls back once, after the current tick', async () => {
    const calls: string[] = []
    asap(rxClock, () => calls.push('asap'))
    calls.push('now')
    await Promise.resolve()
    expect(calls).toEqual(['now', 'asap'])
    await nextTurn()
    expect(calls).toEqual(['now', 'asap'])
  })

  it('does not call back after an unsubscribe', async () => {
    let called = 0
    asap(rxClock, () => called++).unsubscribe()
    await nextTurn()
    expect(called).toBe(0)
  })

  it('calls back in virtual time', () => {
    let called = 0
    runInVirtualTime(({ at }) => at(5, () => asap(rxClock, () => called++)), { endsAt: 10 })
    expect(called).toBe(1)
  })
})
