import type { Clock } from '../../../base/time/clock.js'
import type { ConsumerMessageOf } from '../../../wire/codec/nats/messages.js'
import { Lag, Pings, Renewals } from './renewals.js'

/** The time between two renewals of the lease, in ms. */
export const renewInterval = 500

/** The age of the data of one gateway, by its answers to renewals, and by its proofs of the service's answers. */
export class DataAge {
  private readonly lag = new Lag()
  private readonly renewals = new Renewals()
  private readonly pings: Pings
  /** When the newest answered renewal was sent: monotonic, in ms. Data that were read since are at least as new. */
  private measuredAt = 0
  /** When the price under delivery was sent, by the clock of the gateway, in ms. */
  private priceTime = 0
  /** True if a subscriber has not received this price, because it was too late by then. */
  private isWithheld = false

  constructor(
    private readonly clock: Clock,
    private readonly maxLag: number,
  ) {
    this.pings = new Pings(clock)
  }

  /** The session is requested: the reply is that of renewal 0. */
  onRequested(): void {
    this.renewals.onSent(0, this.clock.elapsed())
  }

  /** Registers a renewal, and returns its fields. */
  renew(): { readonly number: number; readonly since: number } {
    return this.renewals.next(this.clock.elapsed())
  }

  /** `time`: of the gateway's clock, in ms. False if the number is not that of an unanswered renewal. */
  onReply(number: number, time: number): boolean {
    const sentAt = this.renewals.onReply(number)
    if (sentAt === undefined) return false
    this.lag.onRoundTrip(sentAt, this.clock.elapsed(), time)
    this.measuredAt = sentAt
    return true
  }

  onRenewed(reply: ConsumerMessageOf<'renewed'>): void {
    this.renewals.onRenewed(reply)
  }

  /** Returns true if a renewal must be answered before pings are. */
  onPing(payload: string): boolean {
    return this.pings.onPing(payload)
  }

  /** `time`: of the gateway's clock, in ms; the service has sent all later data after it. */
  answeredBy(time: number): string | undefined {
    const now = this.clock.elapsed()
    return this.answeredAt(now - this.lag.of(time, now))
  }

  /** The payload of the newest ping that was sent before this time, by the own monotonic clock, in ms. */
  answeredAt(provenAt: number): string | undefined {
    return this.pings.onProof(provenAt, this.measuredAt)
  }

  /** Starts the delivery of a price of this time of the gateway's clock, in ms. False if it is late. */
  startDelivery(time: number): boolean {
    this.priceTime = time
    this.isWithheld = false
    return this.isInTime()
  }

  /** The handlers of the previous subscribers may have taken seconds. */
  readonly isInTime = (): boolean => {
    this.isWithheld ||= this.behindMs > this.maxLag
    return !this.isWithheld
  }

  /** While the event loop was blocked, neither prices nor replies were read. */
  readonly isCurrent = (): boolean =>
    this.clock.elapsed() - this.measuredAt <= Math.max(this.maxLag, 2 * renewInterval)

  /** Why the session ends if the price under delivery was late: the prices after it are late too. */
  get lateReason(): string | undefined {
    if (!this.isWithheld) return undefined
    return `the prices are ${Math.round(this.behindMs)} ms behind, at most ${this.maxLag} ms are allowed`
  }

  private get behindMs(): number {
    return this.lag.of(this.priceTime, this.clock.elapsed())
  }
}
