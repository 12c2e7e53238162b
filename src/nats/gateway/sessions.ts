import { isLeft } from 'fp-ts/lib/Either.js'
import type { SessionMessage } from '../../codec/nats/messages.js'
import type { GatewayDisconnectCause } from '../../diagnostics/messages.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import { assertNever } from '../../domain/assert-never.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import type { Demand } from '../../gateway/demand/demand.js'
import { requestedTopic } from '../../gateway/demand/requested-topic.js'
import { PublishedTopic } from './published-topic.js'
import type { Publisher } from './publisher.js'
import type { SessionsListener } from './sessions-listener.js'
import type { CurrentPrice, TopicSession } from './topic-session.js'

export interface SessionsConfig {
  readonly demand: Demand<string>
  readonly publisher: Publisher
  /** Name of the service: prefix of topics. */
  readonly service: string
  readonly maxConnections: number
  readonly maxTopicsPerConnection: number
  /** The monotonic time, in ms. */
  readonly elapsed: () => number
  readonly listener: SessionsListener
}

type TopicMessage = Extract<SessionMessage, { readonly type: 'subscribe' | 'unsubscribe' }>

/** Why a gateway ends all its sessions. */
export type CloseCause = Extract<GatewayDisconnectCause, 'service-down' | 'nats-lost' | 'closing'>

/** The close code of a server that cannot serve now (IANA's registry of WebSocket close codes). */
const tryAgainLater = 1013

/** `closing`: that of a server that shuts down. */
const closeCodes: Readonly<Record<CloseCause, number>> = {
  'service-down': tryAgainLater,
  'nats-lost': tryAgainLater,
  closing: 1001,
}

/** A lease expires 2.5 s after its last renewal. Time in which the gateway is stopped does not count. */
const maxLooks = 10

/** The sessions of a gateway over one connection to NATS, and the topics that they want. */
export class Sessions {
  private readonly sessions = new Map<string, GatewaySession>()
  private readonly topics = new Map<Address, PublishedTopic>()

  constructor(private readonly config: SessionsConfig) {}

  get size(): number {
    return this.sessions.size
  }

  /** `inbox`: where the consumer receives messages. */
  open(id: string, inbox: string): void {
    const { publisher, elapsed, listener } = this.config
    const known = this.sessions.get(id)
    if (known === undefined && this.isFull) return this.refuse(inbox)
    const session = known ?? new GatewaySession(id, inbox, publisher)
    this.sessions.set(id, session)
    if (known === undefined) listener.onOpened()
    session.open(elapsed())
  }

  private get isFull(): boolean {
    return this.sessions.size >= this.config.maxConnections
  }

  private refuse(inbox: string): void {
    const { publisher, maxConnections, listener } = this.config
    const reason = `the gateway has its ${maxConnections} sessions`
    publisher.reply(inbox, { type: 'closed', code: tryAgainLater, reason })
    listener.onRefused()
  }

  /** Handles a message of a session. `inbox`: where the answer to a session that has ended goes. */
  handle(message: SessionMessage, inbox: string): void {
    const session = this.sessions.get(message.session)
    if (session === undefined) {
      if (message.type === 'renew')
        this.config.publisher.reply(inbox, {
          type: 'closed',
          code: tryAgainLater,
          reason: 'the session has ended',
        })
      return
    }
    switch (message.type) {
      case 'renew':
        if (session.isMissing(message.requests)) return this.onGap(session)
        return session.renew(message.number, message.since, this.config.elapsed())
      case 'subscribe':
      case 'unsubscribe':
        return this.onRequest(session, message)
      case 'close':
        return this.end(session, 'consumer')
      default:
        return assertNever(message)
    }
  }

  /** Looks at each lease, and ends those that were not renewed. Called every `lookTime` ms. */
  endExpired(): void {
    for (const session of [...this.sessions.values()]) {
      if (++session.looks > maxLooks) this.end(session, 'no-renewal')
    }
  }

  /** Ends all sessions and tells their consumers. */
  close(cause: CloseCause, reason: string): void {
    for (const session of [...this.sessions.values()]) {
      session.close(closeCodes[cause], reason)
      this.end(session, cause)
    }
  }

  private onRequest(session: GatewaySession, { type, topic, number }: TopicMessage): void {
    const verdict = session.onRequest(number)
    if (verdict === 'gap') return this.onGap(session)
    if (verdict === 'repeated') return
    if (type === 'subscribe') this.subscribe(session, topic, number)
    else this.unsubscribe(session, topic)
  }

  /** A message of the consumer is lost: its topics are not known. It opens another session. */
  private onGap(session: GatewaySession): void {
    session.close(tryAgainLater, 'a message of the consumer is lost')
    this.end(session, 'message-lost')
  }

  private subscribe(session: GatewaySession, text: string, number: number): void {
    const { service, maxTopicsPerConnection } = this.config
    const topic = requestedTopic(text, service)
    if (isLeft(topic)) return session.reject('0x', topic.left)
    const base = canonicalAddress(addressOf(topic.right))
    if (!session.topics.has(base) && session.topics.size >= maxTopicsPerConnection) {
      return session.reject(
        base,
        `Invalid request: ${text} is one topic more than the ${maxTopicsPerConnection} of a session`,
      )
    }
    const published = this.topicOf(base, topic.right)
    session.topics.set(base, { topic: published, number })
    published.join(session)
    published.feed.start()
  }

  private topicOf(base: Address, topic: Topic): PublishedTopic {
    const { demand, publisher } = this.config
    const feed = demand.feedOf(topic)
    const known = this.topics.get(base)
    if (known?.feed === feed) return known
    const published = new PublishedTopic(feed, publisher, this.forget)
    this.topics.set(base, published)
    feed.add(published)
    return published
  }

  private readonly forget = (topic: PublishedTopic): void => {
    if (this.topics.get(topic.base) === topic) this.topics.delete(topic.base)
  }

  private unsubscribe(session: GatewaySession, text: string): void {
    const topic = requestedTopic(text, this.config.service)
    if (isLeft(topic)) return
    const base = canonicalAddress(addressOf(topic.right))
    const published = session.topics.get(base)?.topic
    session.topics.delete(base)
    if (published !== undefined) this.leave(session, published)
  }

  private end(session: GatewaySession, cause: GatewayDisconnectCause): void {
    this.sessions.delete(session.id)
    this.config.listener.onEnded(cause)
    const topics = [...session.topics.values()]
    session.topics.clear()
    for (const { topic } of topics) this.leave(session, topic)
  }

  private leave(session: GatewaySession, topic: PublishedTopic): void {
    topic.leave(session)
    if (topic.sessions.size > 0) return
    this.forget(topic)
    topic.feed.remove(topic)
    this.config.demand.releaseUnwanted(topic.feed)
  }
}

/** A topic that a session wants. */
interface SessionTopic {
  readonly topic: PublishedTopic
  /** That of the last subscribe message. */
  number: number
}

/** A session of one consumer: a lease on the topics that it wants. */
class GatewaySession implements TopicSession {
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
