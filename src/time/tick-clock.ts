import type { Clock } from './clock.js'
import { clockOffset, maxBlockedMs, suspendedFor } from './suspend.js'

const resolved = Promise.resolve()

/**
 * Reads the clocks at most once per tick, for frames that arrive together. Virtual time is read every time. Detects
 * that the machine was suspended since the last reading, if `refresh` is called every second.
 */
export class TickClock {
  private isCurrent = false
  private offset: number
  /** Monotonic, in ms. */
  elapsed = 0
  /** In ms since the Unix epoch. */
  wallClock = 0

  constructor(
    private readonly clock: Clock,
    /** Called after the clocks are read. `ms`: how long the machine was suspended while `elapsed` stood still. */
    private readonly onSuspend: (ms: number) => void,
  ) {
    this.offset = clockOffset(clock)
    this.elapsed = clock.elapsed()
  }

  refresh(): void {
    if (!this.isCurrent || this.clock.isVirtual) this.readClocks()
  }

  private readClocks(): void {
    this.isCurrent = true
    const { elapsed } = this
    this.elapsed = this.clock.elapsed()
    this.wallClock = this.clock.wallClock()
    // A promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.expire)
    const offset = this.wallClock - this.elapsed
    const suspended = suspendedFor(this.offset, offset)
    this.offset = offset
    const isPaused = !this.clock.isVirtual && this.elapsed - elapsed > maxBlockedMs
    if (suspended > 0 || isPaused) this.onSuspend(suspended)
  }

  private readonly expire = (): void => {
    this.isCurrent = false
  }
}
