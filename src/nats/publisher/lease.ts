import type { PriceFeed } from '../../client/price-feed.js'
import type { ConsumerMessage, GatewayMessageOf } from '../codec/messages.js'
import type { Address } from '../../base/domain/topic.js'
import { closeCodes, type EndCause, type Session } from '../../gateway/subscriptions/sessions.js'
import type { ConsumedTopic } from '../../gateway/subscriptions/topic-feed.js'
import type { Publisher } from './publisher.js'

/** A lease expires this time after its last renewal, in ms. Time in which the gateway is stopped does not count. */
export const leaseTime = 2_500

/** The interval of the checks of all leases, in ms. */
export const leaseCheckInterval = 250

/** A session of one consumer: a lease on the topics that it wants. */
export class Lease implements Session<Lease> {
  readonly feeds: Session<Lease>['feeds'] = new Map()
  /** The number of the last subscribe message of each topic. */
  private readonly numbers = new Map<Address, number>()
  /** The number of checks since the last renewal. */
  private checks = 0
  /** The number of the last subscribe or unsubscribe message. */
  private requests = 0
  /** The topics whose confirmation waits for an answer of the service. */
  private readonly waiting = new Map<Address, ConsumedTopic>()
  private isUnproven: (() => boolean) | undefined

  constructor(
    readonly id: string,
    /** The limit of the age of prices of the consumer, in ms. */
    readonly maxLag: number,
    private readonly requestProbe: PriceFeed['requestProbe'],
    /** The subject on which the consumer receives messages. */
    private readonly inbox: string,
    private readonly publisher: Publisher,
    private readonly onEnd: (lease: Lease, cause: EndCause) => void,
  ) {}

  /** Returns true if the lease has expired. Called every `leaseCheckInterval` ms. */
  check(): boolean {
    return ++this.checks > leaseTime / leaseCheckInterval
  }

  /** Counts a subscribe or unsubscribe message. False if one before it is lost. */
  onRequest(number: number): boolean {
    return number === ++this.requests
  }

  /** The confirmation of the topic repeats the number of the last request. */
  onSubscribe(base: Address): void {
    this.numbers.set(base, this.requests)
    this.isUnproven ??= this.requestProbe(0)
  }

  /** False if a message before it is lost. */
  renew({ number, requests }: GatewayMessageOf<'renew'>, time: number): boolean {
    if (requests !== this.requests) return false
    this.checks = 0
    this.send({ type: 'renewed', number, time })
    return true
  }

  /** The topic is no longer wanted, or rejected. */
  onRemoved({ base }: Pick<ConsumedTopic, 'base'>): void {
    this.waiting.delete(base)
    this.numbers.delete(base)
  }

  /** Prices follow a second confirmation, once the service has answered a probe: they count as newer than the session. */
  readonly confirm = (confirmed: ConsumedTopic): void => {
    const { base, topic, position } = confirmed
    const number = this.numbers.get(base) ?? 0
    const sequence = this.publisher.sequenceOf(confirmed)
    const time = this.publisher.time()
    const message = { type: 'confirmed', topic, base, number, sequence } as const
    if (this.isUnproven?.() === true) {
      this.waiting.set(base, confirmed)
      return this.send({ ...message, pendingSince: time })
    }
    const frame = confirmed.currentFrame()
    this.send({ ...message, position, ...(frame === undefined ? {} : { price: { frame, time } }) })
  }

  confirmWaiting(): void {
    if (this.waiting.size === 0 || this.isUnproven?.() === true) return
    const waiting = [...this.waiting.values()]
    this.waiting.clear()
    for (const confirmed of waiting) this.confirm(confirmed)
  }

  readonly reject = (topic: Pick<ConsumedTopic, 'base'>, text: string): void => {
    const { base } = topic
    this.send({ type: 'rejected', base, number: this.numbers.get(base) ?? this.requests, text })
    this.onRemoved(topic)
  }

  readonly end = (cause: EndCause, reason: string): void => {
    this.send({ type: 'closed', code: closeCodes[cause], reason })
    this.onEnd(this, cause)
  }

  private send(message: ConsumerMessage): void {
    this.publisher.send(this.inbox, message)
  }
}
