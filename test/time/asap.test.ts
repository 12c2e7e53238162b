import { describe, expect, it } from 'vitest'
import { asap } from '../../src/time/asap.js'
import { virtually } from '../support/virtual.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('soon', () => {
  it('is after all that happens in this tick, once', async () => {
    const happened: string[] = []
    asap(() => happened.push('soon'))
    happened.push('now')
    await Promise.resolve()
    expect(happened).toEqual(['now', 'soon'])
    await turn()
    expect(happened).toEqual(['now', 'soon'])
  })

  it('is never, where it is unsubscribed from before', async () => {
    let called = 0
    asap(() => called++).unsubscribe()
    await turn()
    expect(called).toBe(0)
  })

  it('is virtual where time is', () => {
    let called = 0
    virtually(({ at }) => at(5, () => asap(() => called++)), { until: 10 })
    expect(called).toBe(1)
  })
})
