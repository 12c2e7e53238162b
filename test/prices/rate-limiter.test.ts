import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowMs, RateLimiter } from '../../src/prices/rate-limiter.js'

describe('a budget of frames', () => {
  it('lets so many out, and the next when the first counts no longer', () => {
    const budget = new RateLimiter(3)
    expect(budget.available(0)).toBe(3)
    budget.consume(2, 0)
    budget.consume(1, 400)
    expect(budget.available(400)).toBe(0)
    expect(budget.delay(400)).toBe(windowMs - 400)
    expect(budget.available(windowMs - 1)).toBe(0)
    expect(budget.available(windowMs)).toBe(2)
    expect(budget.delay(windowMs)).toBe(0)
    expect(budget.available(windowMs + 400)).toBe(3)
  })

  it('has no bounds where there is no cap', () => {
    const budget = new RateLimiter(Infinity)
    budget.consume(1_000_000, 0)
    expect(budget.available(0)).toBe(Infinity)
    expect(budget.delay(0)).toBe(0)
  })

  it('takes a part of a frame for none', () => {
    expect(new RateLimiter(2.9).available(0)).toBe(2)
  })

  it('never lets out more in any second, and never waits without need', () => {
    const steps = fc.array(fc.tuple(fc.nat(700), fc.integer({ min: 1, max: 9 })), { maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (cap, wishes) => {
        const budget = new RateLimiter(cap)
        const sent: number[] = []
        let now = 0
        for (const [after, wish] of wishes) {
          now += after
          if (budget.delay(now) > 0) {
            expect(budget.available(now)).toBe(0)
            now += budget.delay(now)
          }
          const frames = Math.min(wish, budget.available(now))
          expect(frames).toBeGreaterThan(0)
          budget.consume(frames, now)
          for (let frame = 0; frame < frames; frame++) sent.push(now)
        }
        for (const [index, at] of sent.entries()) {
          const inTheSecond = sent.slice(index).filter((other) => other - at <= 1000)
          expect(inTheSecond.length).toBeLessThanOrEqual(cap)
        }
      }),
    )
  })
})
