import { Subscription } from 'rxjs'
import { canonicalAddress, type Address } from '../../base/domain/address.js'
import { addressOf, type Topic } from '../../base/domain/topic.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import { TopicFeed, type TopicFeedConfig } from './topic-feed.js'

export interface DemandConfig<S> extends Omit<TopicFeedConfig<S>, 'onCompleted'> {
  readonly clock: Clock
  /** Name of the service: prefix of topics. */
  readonly service: string
}

/** The time after the return of the service in which consumers can request their topics again, in ms. */
export const returnTime = 7_000

/**
 * The topics that are subscribed at the service: those that at least one consumer wants. During an outage, unwanted
 * topics are kept too, because a client without a topic does not connect again. A topic that was wanted at the
 * beginning of an outage is kept until the service has been up for `returnTime` in total. Further outages do not extend
 * this time.
 */
export class Demand<S> {
  private readonly feeds = new Map<Address, TopicFeed<S>>()
  /** The feeds that are kept, with the up-time at which each is released. The first is released first. */
  private readonly kept = new Map<TopicFeed<S>, number>()
  /** The time in which the service was up, before the last change between up and down, in ms. */
  private upTimeBefore = 0
  /** When the service came up: monotonic, in ms; `undefined` while it is down. */
  private upSince: number | undefined
  private releaseTimer = new Subscription()

  constructor(private readonly config: DemandConfig<S>) {
    this.upSince = config.clock.elapsed()
  }

  get size(): number {
    return this.feeds.size
  }

  /** The feed of a topic. A new one is not subscribed: the caller adds a consumer and starts it. */
  feedOf(topic: Topic): TopicFeed<S> {
    const base = canonicalAddress(addressOf(topic))
    return this.feeds.get(base) ?? this.create(base)
  }

  /** Unsubscribes from a topic that no consumer wants, unless it is kept. */
  releaseUnwanted(feed: TopicFeed<S>): void {
    if (!feed.isWanted && !this.kept.has(feed)) this.delete(feed)
  }

  delete(feed: TopicFeed<S>): void {
    if (this.feeds.get(feed.base) === feed) this.feeds.delete(feed.base)
    this.kept.delete(feed)
    feed.stop()
  }

  /** An outage begins: keeps the topics that are wanted now. Called before their consumers are ended. */
  onDown(): void {
    this.releaseTimer.unsubscribe()
    this.upTimeBefore = this.upTime()
    this.upSince = undefined
    for (const feed of this.feeds.values()) {
      if (!feed.isWanted) continue
      // Last in order: it is released after the other topics.
      this.kept.delete(feed)
      this.kept.set(feed, this.upTimeBefore + returnTime)
    }
  }

  /** The outage ends. */
  onUp(): void {
    this.upSince ??= this.config.clock.elapsed()
    this.releaseDue()
  }

  snapshot() {
    return Array.from(this.feeds.values(), ({ snapshot }) => snapshot)
  }

  close(): void {
    this.releaseTimer.unsubscribe()
    for (const feed of this.feeds.values()) this.delete(feed)
  }

  private create(base: Address): TopicFeed<S> {
    const feed = new TopicFeed<S>(base, `${this.config.service}-${base}`, {
      ...this.config,
      onCompleted: () => this.delete(feed),
    })
    this.feeds.set(base, feed)
    return feed
  }

  /** The time in which the service has been up, in ms. */
  private upTime(): number {
    const { upSince, upTimeBefore } = this
    return upSince === undefined ? upTimeBefore : upTimeBefore + this.config.clock.elapsed() - upSince
  }

  /** Releases the topics whose time is over, and waits for the next topic. */
  private releaseDue(): void {
    this.releaseTimer.unsubscribe()
    const now = this.upTime()
    for (const [feed, releasedAt] of this.kept) {
      if (releasedAt > now) {
        const ms = Math.ceil(releasedAt - now)
        this.releaseTimer = delay(this.config.clock, ms, () => this.releaseDue())
        return
      }
      this.kept.delete(feed)
      this.releaseUnwanted(feed)
    }
  }
}
