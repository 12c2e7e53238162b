import { elapsed, wallClock } from './clock.js'
import { isVirtualTime } from './rx-providers.js'

const resolved = Promise.resolve()

/** Reads the clocks at most once per tick, for frames that arrive together. Virtual time is read every time. */
export class TickClock {
  private isCurrent = false
  /** Monotonic, in ms. */
  elapsed = 0
  /** In ms since the Unix epoch. */
  wallClock = 0

  refresh(): void {
    if (!this.isCurrent || isVirtualTime()) this.readClocks()
  }

  private readClocks(): void {
    this.isCurrent = true
    this.elapsed = elapsed()
    this.wallClock = wallClock()
    // A promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.expire)
  }

  private readonly expire = (): void => {
    this.isCurrent = false
  }
}
