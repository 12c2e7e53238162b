import { describe, expect, it } from 'vitest'
import { PriceClock } from '../../../src/nats/publisher/price-clock.js'
import { rxClock } from '../../../src/base/time/clock.js'

/** A clock whose time and ticks the test sets, and a service that answers probes when the test says so. */
const createPriceClock = () => {
  let now = 1_000
  let tick = (): void => undefined
  const probes: { answered: boolean }[] = []
  const clock = {
    ...rxClock,
    elapsed: () => now,
    startInterval: (callback: () => void) => {
      tick = callback
      return () => {
        tick = () => undefined
      }
    },
  }
  const priceClock = new PriceClock(clock, {
    requestProbe: () => {
      const probe = { answered: false }
      probes.push(probe)
      return () => !probe.answered
    },
  })
  return {
    priceClock,
    probes,
    run: (ms: number) => {
      const end = now + ms
      while (now < end) {
        now = Math.min(now + 100, end)
        tick()
      }
    },
    /** The process does not run for this time, and reads sockets first when it runs again. */
    stop: (ms: number) => {
      now += ms
    },
    now: () => now,
  }
}

describe('PriceClock', () => {
  it('is the time while the process runs', () => {
    const { priceClock, run, now, probes } = createPriceClock()
    run(5_000)
    expect(priceClock.time()).toBe(now())
    expect(priceClock.lateMs()).toBe(0)
    expect(probes).toEqual([])
  })

  it('is the time of the stop until the service has answered a probe that was sent after it', () => {
    const { priceClock, run, stop, now, probes } = createPriceClock()
    run(1_000)
    const stoppedAt = now()
    stop(3_000)
    expect(priceClock.time()).toBe(stoppedAt)
    run(500)
    expect(priceClock.time()).toBe(stoppedAt)
    expect(priceClock.lateMs()).toBe(3_500)
    expect(probes).toHaveLength(1)
    ;(probes[0] as { answered: boolean }).answered = true
    expect(priceClock.time()).toBe(now())
  })

  it('stays that of the first stop if another follows before the answer', () => {
    const { priceClock, run, stop, now, probes } = createPriceClock()
    run(1_000)
    const stoppedAt = now()
    stop(1_000)
    run(200)
    stop(1_000)
    expect(priceClock.time()).toBe(stoppedAt)
    // The answer to the first probe proves nothing about the second stop.
    ;(probes[0] as { answered: boolean }).answered = true
    expect(priceClock.time()).toBe(stoppedAt)
    ;(probes[1] as { answered: boolean }).answered = true
    expect(priceClock.time()).toBe(now())
  })
})
