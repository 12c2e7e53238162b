import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../server/client-feed.js'
import { parseTopic } from '../../wire/codec/arguments.js'
import type { GatewayDisconnectCause } from '../../base/diagnostics/messages.js'
import { canonicalAddress, type Address, addressOf, type Topic } from '../../base/domain/topic.js'
import type { ConnectionStatus } from '../../base/domain/snapshot.js'
import { oneLine } from '../../base/errors/text.js'
import type { GatewayTopicSnapshot } from '../gateway.js'
import type { GatewaySetup } from '../options.js'
import { TopicFeed, type ConsumedTopic, type TopicConsumer, type TopicFeedConfig } from './topic-feed.js'
import { Upstream } from './upstream.js'

export type EndCause = Exclude<GatewayDisconnectCause, 'consumer' | 'no-pong' | 'no-renewal'>

/** The close code of a server that cannot serve now (IANA's registry of WebSocket close codes). */
export const tryAgainLater = 1013

/** The close codes of a gateway. `closing`: the code of a server that shuts down. */
export const closeCodes: Readonly<Record<EndCause, number>> = {
  'service-down': tryAgainLater,
  'too-far-behind': tryAgainLater,
  'message-lost': tryAgainLater,
  'nats-lost': tryAgainLater,
  closing: 1001,
  // The policy of the server (RFC 6455, section 7.4.1).
  'no-access': 1008,
}

export const closingReason = 'the gateway is closing'

/** A connection or a lease of one consumer. */
export interface Session<S extends Session<S>> extends TopicConsumer<S> {
  /** Sends the reason to the consumer, and ends. */
  readonly end: (cause: EndCause, reason: string) => void
}

/** What a subscribe message has done. The session answers it, if the service has confirmed the topic, and starts the topic. */
export interface Subscribed<S extends Session<S>> {
  readonly feed: TopicFeed<S>
  /** True if the consumer has had the topic before. */
  readonly isRepeated: boolean
}

export interface SessionsConfig<S extends Session<S>>
  extends
    Pick<GatewaySetup, 'clock' | 'report' | 'service' | 'maxConnections' | 'maxTopicsPerConnection'>,
    Omit<TopicFeedConfig<S>, 'source' | 'isUp' | 'onCompleted'> {
  /** The name of a session in messages to its consumer. */
  readonly noun: 'connection' | 'session'
  /** True if sessions end while the client is in this state. */
  readonly isDown: (status: ConnectionStatus) => boolean
}

/** The time after the return of the service in which consumers can request their topics again, in ms. */
export const returnTime = 7_000

/** The interval at which topics are released after it, in ms. */
const releaseInterval = 1_000

/**
 * The sessions of a gateway with its consumers, over WebSocket or NATS, and the topics that are subscribed at the service:
 * those that at least one session wants. During an outage, unwanted topics are kept too, because a client without a topic does
 * not connect again. A topic that was wanted at the beginning of an outage is kept until the service has been up for
 * `returnTime` in total. Further outages do not extend this time.
 */
export class Sessions<S extends Session<S>> {
  readonly upstream: Upstream
  private readonly sessions = new Set<S>()
  private readonly feeds = new Map<Address, TopicFeed<S>>()
  private readonly feedConfig: TopicFeedConfig<S>
  private stopReleasing = (): void => undefined

  constructor(
    client: PriceClient,
    private readonly config: SessionsConfig<S>,
  ) {
    this.feedConfig = {
      ...config,
      source: priceFeedOf(client),
      isUp: () => this.upstream.isUp,
      onCompleted: (feed) => this.delete(feed),
    }
    this.upstream = new Upstream(client.status$, {
      ...config,
      onDown: (text) => this.onDown(text),
      onUp: () => this.onUp(),
    })
  }

  get all(): ReadonlySet<S> {
    return this.sessions
  }

  get topicCount(): number {
    return this.feeds.size
  }

  topics(): readonly GatewayTopicSnapshot[] {
    return Array.from(this.feeds.values(), ({ snapshot }) => snapshot)
  }

  /** Why a further session is refused; `undefined` if it is accepted. */
  get fullReason(): string | undefined {
    const { maxConnections, noun } = this.config
    return this.sessions.size < maxConnections ? undefined : `the gateway has its ${maxConnections} ${noun}s`
  }

  /** For collectors. */
  get load() {
    const { upstream, sessions, topicCount } = this
    return { isUp: upstream.isUp, consumers: sessions.size, topics: topicCount }
  }

  onOpened(session: S): void {
    this.sessions.add(session)
    this.config.report('svc-streams:gateway-connected', {})
  }

  /** `bytes`: size of what was sent. */
  onEnded(session: S, cause: GatewayDisconnectCause, bytes: number): void {
    this.sessions.delete(session)
    this.leaveTopics(session)
    this.config.report('svc-streams:gateway-disconnected', { cause, bytes })
  }

  /** The topic of a consumer's message. Left: the problem. */
  topicOf(text: string): Either<string, Topic> {
    const { service } = this.config
    const topic = text.length > maxTopicLength ? undefined : parseTopic(text, service)
    return topic === undefined || isLeft(topic)
      ? left(`${oneLine(text)} is no topic: expected ${service}-0x<hex digits>`)
      : topic
  }

  /** The consumer wants a topic. Left: the text that refuses it. */
  subscribe(session: S, topic: Topic): Either<string, Subscribed<S>> {
    const { maxTopicsPerConnection, noun } = this.config
    const base = canonicalAddress(addressOf(topic))
    const known = session.feeds.get(base)
    if (known === undefined && session.feeds.size >= maxTopicsPerConnection)
      return left(
        `Invalid request: ${topic} is one topic more than the ${maxTopicsPerConnection} of a ${noun}`,
      )
    const feed = known ?? this.feedOf(base)
    feed.add(session)
    return right({ feed, isRepeated: known !== undefined })
  }

  /** The consumer no longer wants a topic. Returns it, if the consumer had it. */
  unsubscribe(session: S, topic: Topic): ConsumedTopic | undefined {
    const feed = session.feeds.get(canonicalAddress(addressOf(topic)))
    if (feed !== undefined) this.leave(session, feed)
    return feed
  }

  leaveTopics(session: S): void {
    for (const feed of [...session.feeds.values()]) this.leave(session, feed)
  }

  endAll(cause: EndCause, reason: string): void {
    for (const session of [...this.sessions]) session.end(cause, reason)
  }

  /** Ends all sessions and all subscriptions. Idempotent. */
  close(): void {
    this.endAll('closing', closingReason)
    this.upstream.close()
    this.stopReleasing()
    for (const feed of this.feeds.values()) this.delete(feed)
  }

  /** A new feed is not subscribed at the service: the session starts it. */
  private feedOf(base: Address): TopicFeed<S> {
    const feed =
      this.feeds.get(base) ?? new TopicFeed<S>(base, `${this.config.service}-${base}`, this.feedConfig)
    this.feeds.set(base, feed)
    return feed
  }

  private leave(session: S, feed: TopicFeed<S>): void {
    feed.remove(session)
    this.releaseUnwanted(feed)
  }

  /** Unsubscribes from a topic that no consumer wants, unless it is kept. */
  private releaseUnwanted(feed: TopicFeed<S>): void {
    if (!feed.isWanted && feed.keptUntil <= this.upstream.upTime) this.delete(feed)
  }

  private delete(feed: TopicFeed<S>): void {
    if (this.feeds.get(feed.base) === feed) this.feeds.delete(feed.base)
    feed.stop()
  }

  /** Keeps the topics that are wanted now, and ends their consumers. */
  private onDown(text: string): void {
    this.stopReleasing()
    for (const feed of this.feeds.values())
      if (feed.isWanted) feed.keptUntil = this.upstream.upTime + returnTime
    this.endAll('service-down', text)
  }

  private onUp(): void {
    this.stopReleasing = this.config.clock.startInterval(() => this.releaseAll(), releaseInterval)
    this.releaseAll()
  }

  private releaseAll(): void {
    let areKept = false
    for (const feed of this.feeds.values()) {
      this.releaseUnwanted(feed)
      areKept ||= feed.keptUntil > this.upstream.upTime
    }
    if (!areKept) this.stopReleasing()
  }
}

/** The maximum length of a topic. An address has 42 characters. */
export const maxTopicLength = 256
