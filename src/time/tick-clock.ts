import type { Clock } from './clock.js'
import { clockOffset, maxBlockedMs, suspendedFor } from './suspend.js'

const resolved = Promise.resolve()

/** Within a tick, every eighth price reads the clock again: a reading costs a fifth of a price. */
const maxStride = 8

/** A handler that takes longer is slow: the clock is then read for the next price, in ms. */
const slowHandlerMs = 0.5

/**
 * Reads the clocks once per tick, for frames that arrive together, and again for the prices of a long tick. Virtual time
 * is read every time. Detects that the machine was suspended since the last reading, if `refresh` is called every second.
 */
export class TickClock {
  private isCurrent = false
  private offset: number
  /** The number of prices from one reading to the next, and until the next. */
  private stride = 1
  private untilReading = 1
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

  /**
   * Like `refresh`, for a price. Reads the clock again for the second, the fourth and every eighth price of a tick, and for
   * each price after a slow handler: the handlers of one tick may take seconds.
   */
  advance(): void {
    if (!this.isCurrent || this.clock.isVirtual) this.readClocks()
    else if (--this.untilReading === 0) this.readAgain()
  }

  private readAgain(): void {
    const elapsed = this.clock.elapsed()
    const spent = elapsed - this.elapsed
    this.elapsed = elapsed
    if (spent >= 1) this.wallClock = this.clock.wallClock()
    this.stride = spent > slowHandlerMs * this.stride ? 1 : Math.min(maxStride, 2 * this.stride)
    this.untilReading = this.stride
  }

  private readClocks(): void {
    this.isCurrent = true
    this.stride = this.untilReading = 1
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
