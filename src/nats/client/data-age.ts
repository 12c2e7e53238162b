import type { Clock } from '../../base/time/clock.js'

/** The time between two renewals of the lease, in ms. */
export const renewInterval = 500

/** The number of pings that are stored. The answer to a ping answers the older ones too. */
const maxPings = 512

/** The age of the data of one gateway, by its answers to renewals, and by its proofs of the service's answers. */
export class DataAge {
  private readonly lag = new MessageLag()
  /** They cost no message: a proof of the gateway answers those that were sent before its probe. */
  private readonly pings: { readonly payload: string; readonly at: number }[] = []
  /** When the newest answered renewal was sent: monotonic, in ms. Data that were read since are at least as new. */
  private measuredAt = -Infinity

  constructor(
    private readonly clock: Clock,
    private readonly maxLag: number,
  ) {}

  onPing(payload: string): void {
    this.pings.push({ payload, at: this.clock.elapsed() })
    if (this.pings.length > maxPings) this.pings.shift()
  }

  /** `sentAt`: monotonic. `time`: of the gateway's clock. Both in ms. False for a repeated or late answer, and without a message. */
  onReply(sentAt: number, time: number): boolean {
    const now = this.clock.elapsed()
    if (!(sentAt > this.measuredAt && sentAt <= now)) return false
    this.lag.onRoundTrip(sentAt, now, time)
    this.measuredAt = sentAt
    return true
  }

  /** Like `answeredAt`, for a time of the gateway's clock, in ms. */
  answeredBy(time: number): string | undefined {
    const now = this.clock.elapsed()
    return this.answeredAt(now - this.lag.of(time, now))
  }

  /** The service has sent all later data after this time: monotonic, in ms. Returns the newest ping that this answers. */
  answeredAt(provenAt: number): string | undefined {
    const answered = this.pings.findLastIndex(({ at }) => at <= provenAt)
    return this.pings.splice(0, answered + 1).at(-1)?.payload
  }

  /** Why a price of this time of the gateway's clock, in ms, ends the session: the prices after it are late too. */
  lateReason(time: number): string | undefined {
    const behindMs = this.lag.of(time, this.clock.elapsed())
    if (behindMs <= this.maxLag) return undefined
    return `the prices are ${Math.round(behindMs)} ms behind, at most ${this.maxLag} ms are allowed`
  }

  /**
   * While the event loop was blocked, neither prices nor replies were read. `newestAt`: the last price was the newest one of the
   * service at this time of the gateway's clock, in ms. Default: now.
   */
  isCurrent(newestAt = Infinity): boolean {
    const now = this.clock.elapsed()
    const isAnswered = now - this.measuredAt <= Math.max(this.maxLag, 2 * renewInterval)
    return isAnswered && this.lag.of(newestAt, now) <= this.maxLag
  }
}

/** The clocks of two machines drift apart by less than this, in ms per ms. */
export const maxDrift = 1 / 1000

/**
 * The lag of messages of a gateway. No wall clock is used. Each round trip bounds the offset of the two monotonic
 * clocks, because the gateway reads its clock between the request and the receipt of the reply. The computed lag is an
 * upper bound. It exceeds the true lag by at most the shortest round trip and the drift since.
 */
export class MessageLag {
  /** The greatest lower bound of (own clock - gateway's clock), in ms. */
  private distance = -Infinity
  private measuredAt = 0

  /** A round trip: times of the own clock, and the time of the gateway's clock, in ms. */
  onRoundTrip(sentAt: number, receivedAt: number, gatewayTime: number): void {
    const known = this.distance - maxDrift * (receivedAt - this.measuredAt)
    // A clock stood still while its machine was suspended: earlier bounds are wrong.
    const isWrong = known > receivedAt - gatewayTime
    this.distance = isWrong ? sentAt - gatewayTime : Math.max(known, sentAt - gatewayTime)
    this.measuredAt = receivedAt
  }

  /** The lag of a message in ms. `now`: of the own clock. `time`: of the gateway's clock. */
  of(time: number, now: number): number {
    return now - time - this.distance
  }
}
