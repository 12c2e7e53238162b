import type { Clock } from './clock.js'

const resolved = Promise.resolve()

/** Reads the clocks at most once per tick, for frames that arrive together. Virtual time is read every time. */
export class TickClock {
  private isCurrent = false
  /** Monotonic, in ms. */
  elapsed = 0
  /** In ms since the Unix epoch. */
  wallClock = 0

  constructor(private readonly clock: Clock) {}

  refresh(): void {
    if (!this.isCurrent || this.clock.isVirtual) this.readClocks()
  }

  private readClocks(): void {
    this.isCurrent = true
    this.elapsed = this.clock.elapsed()
    this.wallClock = this.clock.wallClock()
    // A promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.expire)
  }

  private readonly expire = (): void => {
    this.isCurrent = false
  }
}
