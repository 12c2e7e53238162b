/**
 * The length of the window, in ms. It is 50 ms longer than one second, so that the service receives at most the limit
 * in one second even if the network delivers frames up to 50 ms closer together than the client sent them.
 */
export const windowMs = 1_050

/** Limits the outgoing frames per second, over a sliding window. Times are monotonic, in ms. */
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

  /** The delay until the next frame may be sent, in ms; 0 if it may be sent now. */
  delay(now: number): number {
    const [oldest] = this.sent
    return oldest === undefined || this.available(now) > 0 ? 0 : oldest.at + windowMs - now
  }
}
