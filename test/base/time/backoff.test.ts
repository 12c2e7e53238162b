import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoff } from '../../../src/base/time/backoff.js'

const policy = { initialDelay: 250, maxDelay: 30_000 }
const justBelow1 = 1 - 2 ** -53

describe('backoff', () => {
  it('doubles its upper bound with each failure, up to maxDelay', () => {
    const upperBounds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100].map((failures) =>
      backoff(policy, failures, justBelow1),
    )
    expect(upperBounds).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  })

  it('is proportional to the random number', () => {
    expect([0, 0.25, 0.5, 0.75].map((random) => backoff(policy, 3, random))).toEqual([0, 250, 500, 750])
  })

  it('is 0 without a failure', () => {
    expect(backoff(policy, 0, justBelow1)).toBe(0)
  })

  it('is at most maxDelay, even if initialDelay is longer', () => {
    expect(backoff({ initialDelay: 5000, maxDelay: 100 }, 1, justBelow1)).toBe(100)
  })

  it('is an integer between 0 and maxDelay after any number of failures', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    const failures = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1000, max: 2 ** 31 }))
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.nat(100_000),
        failures,
        random,
        (initial, max, n, r) => {
          const delay = backoff({ initialDelay: initial, maxDelay: max }, n, r)
          expect(Number.isInteger(delay)).toBe(true)
          expect(delay).toBeGreaterThanOrEqual(0)
          expect(delay).toBeLessThanOrEqual(max)
        },
      ),
    )
  })
})
