import type { ConsumerMessageOf } from '../../codec/nats/messages.js'

/** A renewal of a lease that was sent. */
export interface SentRenewal {
  /** Monotonic, in ms. */
  readonly at: number
  readonly isPing: boolean
}

type RenewalReply = Pick<ConsumerMessageOf<'renewed'>, 'number' | 'publications' | 'part' | 'parts'>

/** The renewals of a session that have no reply yet. Replies arrive in order; one may be lost. */
export class Renewals {
  private readonly sent = new Map<number, SentRenewal>()
  private last = 0
  private publications = 0
  /** The last part of a reply that followed all parts before it. */
  private previousPart = { number: 0, part: 0 }

  /** Registers the next renewal. `since`: the updates up to this number need not be reported again. */
  next(isPing: boolean, at: number): { readonly number: number; readonly since: number } {
    const number = ++this.last
    this.onSent(number, at, isPing)
    return { number, since: this.publications }
  }

  onSent(number: number, at: number, isPing = false): void {
    this.sent.set(number, { at, isPing })
  }

  /** Returns the renewal of a reply, and forgets earlier renewals; `undefined` if the renewal is unknown. */
  onReply(number: number): SentRenewal | undefined {
    const renewal = this.sent.get(number)
    if (renewal === undefined) return undefined
    let isPing = false
    for (const [each, { isPing: isEachPing }] of this.sent) {
      if (each > number) break
      isPing ||= isEachPing
      this.sent.delete(each)
    }
    return { ...renewal, isPing }
  }

  /** A reply, or a part of it. `publications`: the number of price updates that the gateway had published. */
  onRenewed({ number, publications, part = 1, parts = 1 }: RenewalReply): void {
    const { previousPart } = this
    const isNext = part === 1 || (previousPart.number === number && previousPart.part === part - 1)
    this.previousPart = { number, part: isNext ? part : 0 }
    // If a part is lost, the gateway reports the same updates again.
    if (isNext && part === parts) this.publications = publications
  }
}

/** A measured offset of the clocks is used for one to two times this time, because clocks drift. In ms. */
const windowMs = 30_000

/**
 * The lag of messages of a gateway. No wall clock is used. Each round trip bounds the offset of the two monotonic
 * clocks, because the gateway reads its clock between the request and the receipt of the reply. The computed lag is an
 * upper bound. It exceeds the true lag by at most the shortest round trip.
 */
export class Lag {
  /** Greatest lower bounds of (own clock - gateway's clock), in the current and the previous window. */
  private current = -Infinity
  private previous = -Infinity
  private windowStart = -Infinity

  /** A round trip: times of the own clock, and the time of the gateway's clock, in ms. */
  onRoundTrip(sentAt: number, receivedAt: number, gatewayTime: number): void {
    const upperBound = receivedAt - gatewayTime
    // A clock stood still while its machine was suspended: earlier bounds are wrong.
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
