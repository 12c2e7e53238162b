/** In ms: 50 ms more than a second, because the network may deliver messages up to 50 ms closer together than they were sent. */
export const windowMs = 1_050

interface Batch {
  /** Monotonic, in ms. */
  readonly sentAt: number
  readonly count: number
}

/** Limits the outgoing messages per second, over a sliding window. Times are monotonic, in ms. */
export class RateLimiter {
  /** The messages in the window, the oldest first. */
  private readonly batches: Batch[] = []
  private countInWindow = 0

  constructor(private readonly perSecond: number) {}

  available(now: number): number {
    while (hasPassed(this.batches[0], now)) this.countInWindow -= this.batches.shift()?.count ?? 0
    return Math.floor(this.perSecond) - this.countInWindow
  }

  consume(count: number, now: number): void {
    if (count === 0 || this.perSecond === Infinity) return
    this.batches.push({ sentAt: now, count })
    this.countInWindow += count
  }

  /** The delay until the next message may be sent, in ms; 0 if it may be sent now. */
  delay(now: number): number {
    if (this.available(now) > 0) return 0
    const [oldest] = this.batches
    return oldest === undefined ? 0 : oldest.sentAt + windowMs - now
  }
}

const hasPassed = (batch: Batch | undefined, now: number): boolean =>
  batch !== undefined && now - batch.sentAt >= windowMs
