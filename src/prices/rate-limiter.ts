/**
 * How long a frame counts, in ms: a second, and a little for what the network pushes together, so that the service
 * too never sees more in one second.
 */
export const windowMs = 1_050

/** A cap on outgoing frames a second, over a window that rolls. Times are of the clock that only moves forward, in ms. */
export class RateLimiter {
  /** What went out and counts still, the oldest first. */
  private spent: readonly { readonly at: number; readonly frames: number }[] = []

  constructor(private readonly perSecond: number) {}

  /** How many frames may go out now. */
  available(now: number): number {
    this.spent = this.spent.filter(({ at }) => now - at < windowMs)
    return this.spent.reduce((left, { frames }) => left - frames, Math.floor(this.perSecond))
  }

  consume(frames: number, now: number): void {
    if (frames > 0 && this.perSecond < Infinity) this.spent = [...this.spent, { at: now, frames }]
  }

  /** How long it is until a frame may go out, in ms. */
  wait(now: number): number {
    const [oldest] = this.spent
    return oldest === undefined || this.available(now) > 0 ? 0 : oldest.at + windowMs - now
  }
}
