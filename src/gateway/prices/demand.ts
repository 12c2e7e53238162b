import type { PriceFeed } from '../../client/price-feed.js'
import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import { TopicFeed, type FeedListener } from './topic-feed.js'

/**
 * The topics that are subscribed at the service: those that at least one consumer wants. While demand is held, also those
 * that no consumer wants now: a client without a topic does not connect again.
 */
export class Demand {
  private readonly feeds = new Map<Address, TopicFeed>()
  private isHeld = false

  constructor(
    private readonly source: PriceFeed,
    private readonly listener: FeedListener,
  ) {}

  get(base: Address): TopicFeed | undefined {
    return this.feeds.get(base)
  }

  /** Adds a topic that is not subscribed. The caller adds a consumer and starts it. */
  create(base: Address, topic: Topic): TopicFeed {
    const feed = new TopicFeed(base, topic, this.source, this.listener)
    this.feeds.set(base, feed)
    return feed
  }

  /** Unsubscribes from a topic that no consumer wants. */
  releaseUnwanted(feed: TopicFeed): void {
    if (!feed.isWanted && !this.isHeld) this.delete(feed)
  }

  delete(feed: TopicFeed): void {
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
}
