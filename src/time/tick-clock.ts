import type { Clock } from './clock.js'
import { clockOffset, suspendedFor } from './suspend.js'

const resolved = Promise.resolve()

/**
 * Reads the clocks at most once per tick, for frames that arrive together. Virtual time is read every time. Detects
 * that the machine was suspended since the last reading.
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
    /** Called after the clocks are read. `ms`: how long the machine was suspended. */
    private readonly onSuspend: (ms: number) => void,
  ) {
    this.offset = clockOffset(clock)
  }

  refresh(): void {
    if (!this.isCurrent || this.clock.isVirtual) this.readClocks()
  }

  private readClocks(): void {
    this.isCurrent = true
    this.elapsed = this.clock.elapsed()
    this.wallClock = this.clock.wallClock()
    // A promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.expire)
    const offset = this.wallClock - this.elapsed
    const suspended = suspendedFor(this.offset, offset)
    this.offset = offset
    if (suspended > 0) this.onSuspend(suspended)
  }

  private readonly expire = (): void => {
    this.isCurrent = false
  }
}
