import type { Address } from '../../domain/address.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import { canonicalAddress } from '../../domain/address.js'
import { TopicFeed, type TopicFeedConfig } from './topic-feed.js'

export interface DemandConfig<Frame> extends TopicFeedConfig<Frame> {
  /** Name of the service: prefix of topics. */
  readonly service: string
}

/**
 * The topics that are subscribed at the service: those that at least one consumer wants. While demand is held, also those
 * that no consumer wants now: a client without a topic does not connect again.
 */
export class Demand<Frame> {
  private readonly feeds = new Map<Address, TopicFeed<Frame>>()
  private isHeld = false

  constructor(private readonly config: DemandConfig<Frame>) {}

  get size(): number {
    return this.feeds.size
  }

  /** The feed of a topic. A new one is not subscribed: the caller adds a consumer and starts it. */
  feedOf(topic: Topic): TopicFeed<Frame> {
    const base = canonicalAddress(addressOf(topic))
    return this.feeds.get(base) ?? this.create(base)
  }

  /** Unsubscribes from a topic that no consumer wants. */
  releaseUnwanted(feed: TopicFeed<Frame>): void {
    if (!feed.isWanted && !this.isHeld) this.delete(feed)
  }

  delete(feed: TopicFeed<Frame>): void {
    if (this.feeds.get(feed.base) === feed) this.feeds.delete(feed.base)
    feed.stop()
  }

  hold(): void {
    this.isHeld = true
  }

  /** Ends `hold`: unsubscribes from all topics that no consumer wants. */
  release(): void {
    this.isHeld = false
    for (const feed of this.feeds.values()) this.releaseUnwanted(feed)
  }

  snapshot() {
    return Array.from(this.feeds.values(), ({ snapshot }) => snapshot)
  }

  close(): void {
    for (const feed of this.feeds.values()) this.delete(feed)
  }

  private create(base: Address): TopicFeed<Frame> {
    const feed = new TopicFeed(base, `${this.config.service}-${base}`, this.config)
    this.feeds.set(base, feed)
    return feed
  }
}
