import type { Clock } from './clock.js'

const resolved = Promise.resolve()

/**
 * Reads the clocks once per tick, for frames that arrive together, and again for the prices of a long tick. Virtual time
 * is read every time.
 */
export class TickClock {
  /** True if the clocks were read in this tick. */
  private isRead = false
  /** When `wallClock` was read: monotonic, in ms. */
  private wallClockReadAt = 0
  /** Monotonic, in ms. */
  elapsed = 0
  /** In ms since the Unix epoch. */
  wallClock = 0

  constructor(private readonly clock: Clock) {
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
    const { clock } = this
    this.elapsed = clock.elapsedInTick?.() ?? clock.elapsed()
    if (this.elapsed - this.wallClockReadAt < 1) return
    this.wallClock = this.clock.wallClock()
    this.wallClockReadAt = this.elapsed
  }

  private readClocks(): void {
    this.isRead = true
    // The reading of the wall clock notices a suspend of the machine, which `elapsed` then includes.
    this.wallClock = this.clock.wallClock()
    this.elapsed = this.wallClockReadAt = this.clock.elapsed()
    // A promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.expire)
  }

  private readonly expire = (): void => {
    this.isRead = false
  }
}
