/** A connection that is behind again within this time flaps, as a multiple of `maxLag`. */
const memory = 4

/** The time for which it then stays behind, as a part of `maxLag`: the first one is doubled each time, up to the longest. */
const shortestStay = 1 / 32
const longestStay = 3 / 4

/** A round trip up to this part of `maxLag` cannot be the cause. */
const shortRoundTrip = 1 / 2

/**
 * Limits how often a connection is behind and in time in turn, because its round trip is close to `maxLag`: each time it
 * stays behind for longer. Times are monotonic, in ms.
 */
export class FlapLimit {
  private behindAt = -Infinity
  /** In ms. */
  private stay = 0

  constructor(private readonly maxLag: number) {}

  onBehind(now: number): void {
    const { maxLag } = this
    const isRepeated = now - this.behindAt < memory * maxLag
    const next = Math.max(2 * this.stay, shortestStay * maxLag)
    this.stay = isRepeated ? Math.min(next, longestStay * maxLag) : 0
    this.behindAt = now
  }

  /** True if an answer in time, after this round trip, ends the time behind. */
  mayCatchUp(now: number, roundTrip: number): boolean {
    return now - this.behindAt >= this.stay || roundTrip <= shortRoundTrip * this.maxLag
  }
}
