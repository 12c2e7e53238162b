import { clockOffset, maxBlockedMs, suspendedFor, type Clock } from './clock.js'

const resolved = Promise.resolve()

/**
 * Reads the clocks once per tick, for frames that arrive together, and again for the prices of a long tick. Virtual time
 * is read every time. Detects that the machine was suspended since the last reading, if `refresh` is called every second.
 */
export class TickClock {
  /** True if the clocks were read in this tick. */
  private isRead = false
  private offset: number
  /** When `wallClock` was read: monotonic, in ms. */
  private wallClockReadAt = 0
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
    if (!this.isRead || this.clock.isVirtual) this.readClocks()
  }

  /**
   * Like `refresh`, for a price: reads the monotonic clock for each price of a tick, because any handler may take
   * seconds. Ticks with a single price have no additional cost.
   */
  advance(): void {
    if (!this.isRead || this.clock.isVirtual) return this.readClocks()
    this.elapsed = this.clock.elapsed()
    if (this.elapsed - this.wallClockReadAt >= 1) this.readWallClock()
  }

  private readWallClock(): void {
    this.wallClock = this.clock.wallClock()
    this.wallClockReadAt = this.elapsed
  }

  private readClocks(): void {
    this.isRead = true
    const { elapsed } = this
    this.elapsed = this.clock.elapsed()
    this.readWallClock()
    // A promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.expire)
    const offset = this.wallClock - this.elapsed
    const suspended = suspendedFor(this.offset, offset)
    this.offset = offset
    const isPaused = !this.clock.isVirtual && this.elapsed - elapsed > maxBlockedMs
    if (suspended > 0 || isPaused) this.onSuspend(suspended)
  }

  private readonly expire = (): void => {
    this.isRead = false
  }
}
