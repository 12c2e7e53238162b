import { afterEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/base/time/clock.js'

/** The system's clocks, and a clock of the library over them. */
const createClock = () => {
  const system = { monotonic: 1_000, wall: 1_700_000_000_000 }
  vi.spyOn(performance, 'now').mockImplementation(() => system.monotonic)
  vi.spyOn(Date, 'now').mockImplementation(() => system.wall)
  const clock = systemClock()
  const pass = (monotonicMs: number, wallMs = monotonicMs): void => {
    system.monotonic += monotonicMs
    system.wall += wallMs
  }
  return { clock, pass }
}

describe('the monotonic time of the system', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('includes suspends of the machine, in which the monotonic clock stands still', () => {
    const { clock, pass } = createClock()
    pass(10, 3_600_010)
    expect(clock.wallClock()).toBe(1_700_003_600_010)
    expect(clock.elapsed()).toBe(3_601_010)
    pass(5, 60_005)
    clock.wallClock()
    expect(clock.elapsed()).toBe(3_661_015)
  })

  it('includes a suspend at once, but for readings within a tick', () => {
    const { clock, pass } = createClock()
    pass(0, 3_600_000)
    expect(clock.elapsedInTick?.()).toBe(1_000)
    expect(clock.elapsed()).toBe(3_601_000)
    expect(clock.elapsedInTick?.()).toBe(3_601_000)
  })

  it('includes a pause in which the monotonic clock proceeds', () => {
    const { clock, pass } = createClock()
    pass(3_600_000)
    expect(clock.elapsed()).toBe(3_601_000)
  })

  it('does not change when the wall clock is set back, adjusted, or drifts', () => {
    const { clock, pass } = createClock()
    for (const [monotonicMs, wallMs] of [
      [10, -3_600_000],
      [10, 2_010],
      [10, -2_000],
    ] as const) {
      pass(monotonicMs, wallMs)
      clock.wallClock()
    }
    for (let second = 0; second < 10_000; second++) {
      pass(1_000, 1_001)
      clock.wallClock()
    }
    expect(clock.elapsed()).toBe(1_030 + 10_000_000)
  })
})
