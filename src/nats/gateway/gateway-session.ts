import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import type { PublishedTopic } from './published-topic.js'
import type { Publisher } from './publisher.js'
import type { CurrentPrice, TopicSession } from './topic-session.js'

/** A topic that a session wants. */
interface SessionTopic {
  readonly topic: PublishedTopic
  /** That of the last subscribe message. */
  number: number
}

/** A session of one consumer: a lease on the topics that it wants. */
export class GatewaySession implements TopicSession {
  readonly topics = new Map<Address, SessionTopic>()
  /** The number of looks at the lease since its last renewal. */
  looks = 0
  /** The number of the last subscribe or unsubscribe message. */
  private requests = 0

  constructor(
    readonly id: string,
    private readonly inbox: string,
    private readonly publisher: Publisher,
  ) {}

  open(time: number): void {
    this.publisher.send(this.inbox, { type: 'opened', time })
  }

  /** Judges a subscribe or unsubscribe message by its number. */
  onRequest(number: number): 'next' | 'repeated' | 'gap' {
    if (number <= this.requests) return 'repeated'
    if (number > this.requests + 1) return 'gap'
    this.requests = number
    return 'next'
  }

  /** True if a message with one of these numbers has not arrived. */
  isMissing(requests: number): boolean {
    return requests > this.requests
  }

  renew(number: number, since: number, time: number): void {
    this.looks = 0
    const sequences: Record<string, number> = {}
    for (const [base, { topic }] of this.topics) {
      const sequence = topic.sequenceSince(since)
      if (sequence !== undefined) sequences[base] = sequence
    }
    const { publications } = this.publisher
    this.publisher.send(this.inbox, { type: 'renewed', number, time, publications, sequences })
  }

  confirm(base: Address, topic: Topic, sequence: number, price: CurrentPrice): void {
    const number = this.topics.get(base)?.number ?? 0
    this.publisher.send(this.inbox, { type: 'confirmed', topic, base, number, sequence, ...price })
  }

  reject(base: Address, text: string): void {
    this.topics.delete(base)
    this.publisher.send(this.inbox, { type: 'rejected', base, text })
  }

  /** Tells the consumer that the session has ended. */
  close(code: number, reason: string): void {
    this.publisher.send(this.inbox, { type: 'closed', code, reason })
  }
}
