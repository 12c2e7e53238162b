// Windows that data decides: each event belongs to the window of its `receivedAt`, however late a timer is. All times are
// in ms since the Unix epoch.

/** The current window of `ms` ms, aligned to multiples of `ms`. */
export class DataWindow {
  /** Number of the window since the Unix epoch. */
  number: number

  constructor(
    readonly ms: number,
    private latest: number,
  ) {
    this.number = Math.floor(latest / ms)
  }

  get from(): number {
    return this.number * this.ms
  }

  get to(): number {
    return (this.number + 1) * this.ms
  }

  /**
   * Moves to the window of a time. An event that is earlier than the window belongs to it, because the earlier window has
   * ended. Only a clock that is set back moves the window back. Returns true if the window has changed.
   */
  moveTo(time: number, now: number): boolean {
    const isSetBack = now < this.latest
    this.latest = now
    const number = Math.floor(time / this.ms)
    if (number === this.number || (number < this.number && !isSetBack)) return false
    this.number = number
    return true
  }
}
