import type { Subscription } from '@nats-io/transport-node'
import type { Address } from '../../base/domain/address.js'

/** The updates of one topic of a session. */
interface TopicUpdates {
  readonly subscription: Subscription
  /** The number of the last subscribe message: an earlier confirmation belongs to an earlier subscription. */
  number: number
  /** The sequence number of the last update; `undefined` until the gateway confirms the topic. */
  sequence: number | undefined
  /** The time of the gateway after which it announces proofs only after a further confirmation, in ms. */
  pendingSince: number | undefined
  /** The service has sent no update after the last one until this time of the gateway's clock, in ms. */
  newestAt: number
}

/** What to do with an update. */
type UpdateVerdict = 'deliver' | 'ignore' | 'gap'

/** The topics of a session, and the sequence numbers of their updates. */
export class TopicUpdatesTable {
  private readonly topics = new Map<Address, TopicUpdates>()
  /** The service has sent all later updates after this time of the gateway's clock, in ms. */
  private provenTime = -Infinity

  /** Adds or finds a topic. `subscribe` is called for a new topic. `number`: the number of the subscribe message. */
  request(base: Address, number: number, subscribe: () => Subscription): void {
    const topic = this.topics.get(base)
    if (topic !== undefined) Object.assign(topic, { number, pendingSince: undefined })
    else
      this.topics.set(base, {
        subscription: subscribe(),
        number,
        sequence: undefined,
        pendingSince: undefined,
        newestAt: -Infinity,
      })
  }

  remove(base: Address): void {
    this.topics.get(base)?.subscription.unsubscribe()
    this.topics.delete(base)
  }

  /** Decides on an update by its sequence number. The price of the confirmation includes earlier updates. */
  onUpdate(base: Address, sequence: number): UpdateVerdict {
    const topic = this.topics.get(base)
    if (topic?.sequence === undefined || sequence <= topic.sequence) return 'ignore'
    if (sequence > topic.sequence + 1) return 'gap'
    topic.sequence = sequence
    topic.newestAt = this.provenTime
    return 'deliver'
  }

  /**
   * Decides on a confirmation. `deliver`: its price is delivered too. `ignore`: only its price is ignored. `pendingSince`: a
   * further confirmation follows, before which updates are ignored.
   */
  onConfirmed(
    base: Address,
    number: number,
    sequence: number,
    pendingSince?: number,
  ): UpdateVerdict | 'foreign' {
    const topic = this.topics.get(base)
    if (topic?.number !== number) return 'foreign'
    topic.pendingSince = pendingSince
    if (pendingSince !== undefined) return 'ignore'
    const isFirst = topic.sequence === undefined
    topic.sequence ??= sequence
    if (sequence > topic.sequence) return 'gap'
    topic.newestAt = this.provenTime
    return isFirst ? 'deliver' : 'ignore'
  }

  /** False if the rejection answers an earlier subscribe message than the last: the topic was unsubscribed in between. */
  onRejected(base: Address, number: number | undefined): boolean {
    const topic = this.topics.get(base)
    if (topic !== undefined && number !== undefined && number < topic.number) return false
    this.remove(base)
    return true
  }

  /** Returns false if the gateway has published an update before its heartbeat that has not arrived. */
  onHeartbeat(base: Address, sequence: number): boolean {
    const topic = this.topics.get(base)
    if (topic?.sequence === undefined) return true
    if (sequence > topic.sequence) return false
    topic.newestAt = this.provenTime
    return true
  }

  /** The service sends all later updates after this time of the gateway's clock, in ms. */
  onProof(time: number): void {
    if (time > this.provenTime) this.provenTime = time
  }

  /**
   * The time of the gateway's clock, in ms, until which the service has sent no update after the last one that has arrived. A
   * later one may be lost. `undefined` for a topic that is not requested.
   */
  newestAt(base: Address): number | undefined {
    return this.topics.get(base)?.newestAt
  }

  /** A topic whose further confirmation is lost, because the gateway has sent it before this proof. `time`: of the gateway, in ms. */
  lostBefore(time: number): Address | undefined {
    for (const [base, { sequence, pendingSince = Infinity }] of this.topics)
      if (sequence === undefined && pendingSince < time) return base
    return undefined
  }

  clear(): void {
    for (const { subscription } of this.topics.values()) subscription.unsubscribe()
    this.topics.clear()
  }
}
