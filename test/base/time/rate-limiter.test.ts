import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowMs, RateLimiter } from '../../../src/base/time/timers.js'

describe('RateLimiter', () => {
  it('delays frames beyond the limit until the window has passed', () => {
    const rateLimiter = new RateLimiter(3)
    expect(rateLimiter.available(0)).toBe(3)
    rateLimiter.consume(2, 0)
    rateLimiter.consume(1, 400)
    expect(rateLimiter.available(400)).toBe(0)
    expect(rateLimiter.delay(400)).toBe(windowMs - 400)
    expect(rateLimiter.available(windowMs - 1)).toBe(0)
    expect(rateLimiter.available(windowMs)).toBe(2)
    expect(rateLimiter.delay(windowMs)).toBe(0)
    expect(rateLimiter.available(windowMs + 400)).toBe(3)
  })

  it('never delays a frame when the limit is infinite', () => {
    const rateLimiter = new RateLimiter(Infinity)
    rateLimiter.consume(1_000_000, 0)
    expect(rateLimiter.available(0)).toBe(Infinity)
    expect(rateLimiter.delay(0)).toBe(0)
  })

  it('rounds a fractional limit down', () => {
    expect(new RateLimiter(2.9).available(0)).toBe(2)
  })

  it('never allows more frames in any second, and never delays a frame without need', () => {
    const steps = fc.array(fc.tuple(fc.nat(700), fc.integer({ min: 1, max: 9 })), { maxLength: 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (limit, requests) => {
        const rateLimiter = new RateLimiter(limit)
        const sent: number[] = []
        let now = 0
        for (const [after, requested] of requests) {
          now += after
          if (rateLimiter.delay(now) > 0) {
            expect(rateLimiter.available(now)).toBe(0)
            now += rateLimiter.delay(now)
          }
          const frames = Math.min(requested, rateLimiter.available(now))
          expect(frames).toBeGreaterThan(0)
          rateLimiter.consume(frames, now)
          for (let frame = 0; frame < frames; frame++) sent.push(now)
        }
        for (const [index, at] of sent.entries()) {
          const withinSecond = sent.slice(index).filter((other) => other - at <= 1000)
          expect(withinSecond.length).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })
})
