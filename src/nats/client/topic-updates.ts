import type { Subscription } from '@nats-io/transport-node'
import type { Address } from '../../base/domain/topic.js'

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

type UpdateVerdict = 'deliver' | 'ignore' | 'gap'

/** The topics of a session, and the sequence numbers of their updates. */
export class TopicUpdatesTable {
  private readonly topics = new Map<Address, TopicUpdates>()
  /** The service has sent all later updates after this time of the gateway's clock, in ms. */
  private provenTime = -Infinity

  /** Adds or finds a topic. `subscribe` is called for a new topic. `number`: the number of the subscribe message. */
  request(base: Address, number: number, subscribe: () => Subscription): void {
    const known: Partial<TopicUpdates> = this.topics.get(base) ?? {}
    const { subscription = subscribe(), sequence, newestAt = -Infinity } = known
    this.topics.set(base, { subscription, number, sequence, pendingSince: undefined, newestAt })
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

  /** A heartbeat, with the number of the last update: a later one than the last that has arrived is a gap. */
  onHeartbeat(base: Address, sequence: number): UpdateVerdict {
    const topic = this.topics.get(base)
    if (topic?.sequence === undefined) return 'ignore'
    if (sequence > topic.sequence) return 'gap'
    topic.newestAt = this.provenTime
    return 'ignore'
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
    const verdict = this.onHeartbeat(base, sequence)
    return isFirst ? 'deliver' : verdict
  }

  /** False if the rejection answers an earlier subscribe message than the last: the topic was unsubscribed in between. */
  onRejected(base: Address, number: number): boolean {
    if (number < (this.topics.get(base)?.number ?? 0)) return false
    this.remove(base)
    return true
  }

  /**
   * The service sends all later updates after this time of the gateway's clock, in ms. Returns a topic whose further confirmation
   * is lost, because the gateway has sent it before this proof.
   */
  onProof(time: number): Address | undefined {
    this.provenTime = Math.max(this.provenTime, time)
    for (const [base, { sequence, pendingSince = Infinity }] of this.topics)
      if (sequence === undefined && pendingSince < time) return base
    return undefined
  }

  /** The time of the gateway, in ms, until which the last update was the newest; `undefined` for a topic without one. */
  newestAt(base: Address): number | undefined {
    return this.topics.get(base)?.newestAt
  }

  clear(): void {
    for (const base of this.topics.keys()) this.remove(base)
  }
}
