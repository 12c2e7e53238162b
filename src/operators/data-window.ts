// Windows that data decides: each event belongs to the window of its `receivedAt`, however late a timer is. All times are
// in ms since the Unix epoch.

/** The current window of `ms` ms, aligned to multiples of `ms`. */
export class DataWindow {
  /** Number of the window since the Unix epoch. */
  number: number
  /** End of the window. */
  to: number

  constructor(
    readonly ms: number,
    /** The last arrival. */
    private latest: number,
  ) {
    this.number = Math.floor(latest / ms)
    this.to = (this.number + 1) * ms
  }

  /**
   * Moves to the window of a time. An event that is earlier than the window belongs to it, because the earlier window has
   * ended. Only a clock that is set back moves the window back. Returns true if the window has changed.
   */
  moveTo(time: number, now: number): boolean {
    const isSetBack = now < this.latest
    this.latest = now
    if (time < this.to && !isSetBack) return false
    const number = Math.floor(time / this.ms)
    if (number === this.number) return false
    this.number = number
    this.to = (number + 1) * this.ms
    return true
  }
}
