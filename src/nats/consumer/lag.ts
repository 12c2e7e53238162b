/** Estimates forget the clocks' distance after one to two times this time, because clocks drift. In ms. */
const windowMs = 30_000

/**
 * How far messages of a gateway are behind. No wall clock is used: each round trip bounds the distance between the two
 * monotonic clocks, because the gateway reads its clock between the sending of the request and the receipt of the reply.
 * The lag is that of the worst case, which exceeds the true lag by at most the shortest round trip.
 */
export class Lag {
  /** Greatest lower bounds of (own clock - gateway's clock), in the current and the previous window. */
  private current = -Infinity
  private previous = -Infinity
  private windowStart = -Infinity

  /** A round trip. Times of the own clock, and that of the gateway's clock, in ms. */
  onRoundTrip(sentAt: number, receivedAt: number, gatewayTime: number): void {
    const upperBound = receivedAt - gatewayTime
    // A clock stood still while its machine was suspended: what was known before is wrong.
    if (this.distance > upperBound) this.current = this.previous = -Infinity
    if (receivedAt - this.windowStart > windowMs) {
      this.previous = this.current
      this.current = -Infinity
      this.windowStart = receivedAt
    }
    this.current = Math.max(this.current, sentAt - gatewayTime)
  }

  /** The lag of a message in ms. `now`: of the own clock. `time`: of the gateway's clock. */
  of(time: number, now: number): number {
    return now - time - this.distance
  }

  private get distance(): number {
    return Math.max(this.current, this.previous)
  }
}
