/**
 * How long a frame counts, in ms: one second, plus a margin for frames that the network delivers closer together. The
 * service never receives more than the limit in one second.
 */
export const windowMs = 1_050

/** Limits outgoing frames per second, over a rolling window. Times are monotonic, in ms. */
export class RateLimiter {
  /** The frames in the window, the oldest first. */
  private sent: readonly { readonly at: number; readonly frames: number }[] = []

  constructor(private readonly perSecond: number) {}

  /** The number of frames that may be sent now. */
  available(now: number): number {
    this.sent = this.sent.filter(({ at }) => now - at < windowMs)
    return this.sent.reduce((available, { frames }) => available - frames, Math.floor(this.perSecond))
  }

  consume(frames: number, now: number): void {
    if (frames > 0 && this.perSecond < Infinity) this.sent = [...this.sent, { at: now, frames }]
  }

  /** The delay until a frame may be sent, in ms. */
  delay(now: number): number {
    const [oldest] = this.sent
    return oldest === undefined || this.available(now) > 0 ? 0 : oldest.at + windowMs - now
  }
}
