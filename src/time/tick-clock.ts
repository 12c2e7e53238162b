import { elapsed, isVirtualTime, wallClock } from './clock.js'

/** The time, read once for all that comes in one go: until the event loop turns, it stands still. Virtual time moves. */
export class TickClock {
  private isCurrent = false
  /** In ms, of the clock that only moves forward. */
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
    // By a promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.passed)
  }

  private readonly passed = (): void => {
    this.isCurrent = false
  }
}

const resolved = Promise.resolve()
