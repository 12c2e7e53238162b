import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxDrift, MessageLag } from '../../../src/nats/client/data-age.js'

const ms = (max: number) => fc.integer({ min: 0, max })

describe('MessageLag', () => {
  it('never understates the lag, and overstates it by at most a round trip and the drift since', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.array(fc.record({ wait: ms(5_000), there: ms(300), back: ms(300) }), {
          minLength: 1,
          maxLength: 100,
        }),
        ms(2_000),
        (distance, trips, trueLag) => {
          const lag = new MessageLag()
          let now = 1_000
          const recent: { readonly at: number; readonly time: number }[] = []
          for (const { wait, there, back } of trips) {
            now += wait
            lag.onRoundTrip(now, now + there + back, now + there - distance)
            now += there + back
            recent.push({ at: now, time: there })
            const published = now - trueLag
            const estimate = lag.of(published - distance, now)
            const bounds = recent.map(({ at, time }) => time + maxDrift * (now - at))
            expect(estimate).toBeGreaterThanOrEqual(trueLag)
            // Sums of large numbers are rounded.
            expect(estimate).toBeLessThanOrEqual(trueLag + Math.min(...bounds) + 0.001)
          }
        },
      ),
    )
  })

  it.each([1 - maxDrift, 1 + maxDrift])('follows a clock that is %d times as fast', (speed) => {
    const lag = new MessageLag()
    for (let now = 0; now <= 600_000; now += 500) lag.onRoundTrip(now, now + 2, (now + 1) * speed)
    const estimate = lag.of(600_000 * speed, 600_000)
    expect(estimate).toBeGreaterThanOrEqual(0)
    expect(estimate).toBeLessThan(3)
  })

  it('forgets what it knew when a machine was suspended: a price from before is not in time', () => {
    const lag = new MessageLag()
    lag.onRoundTrip(1_000, 1_002, 5_001)
    // The consumer's machine is suspended for one minute, and its clock stands still.
    lag.onRoundTrip(1_100, 1_102, 65_101)
    expect(lag.of(5_100, 1_103)).toBeGreaterThanOrEqual(60_000)
    expect(lag.of(65_102, 1_103)).toBeLessThanOrEqual(3)
    // The gateway's machine is suspended: its clock is behind by one more minute.
    lag.onRoundTrip(61_200, 61_202, 65_201)
    expect(lag.of(65_200, 61_203)).toBeLessThanOrEqual(5)
  })

  it('is infinite before the first round trip', () => {
    expect(new MessageLag().of(0, 0)).toBe(Infinity)
  })
})
