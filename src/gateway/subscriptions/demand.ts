import { canonicalAddress, type Address, addressOf, type Topic } from '../../base/domain/topic.js'
import type { Clock } from '../../base/time/clock.js'
import { TopicFeed, type TopicConsumer, type TopicFeedConfig } from './topic-feed.js'

export interface DemandConfig<C extends TopicConsumer<C>> extends Omit<TopicFeedConfig<C>, 'onCompleted'> {
  readonly clock: Clock
  /** Name of the service: prefix of topics. */
  readonly service: string
}

/** The time after the return of the service in which consumers can request their topics again, in ms. */
export const returnTime = 7_000

/** The interval at which topics are released after it, in ms. */
const releaseInterval = 1_000

/**
 * The topics that are subscribed at the service: those that at least one consumer wants. During an outage, unwanted
 * topics are kept too, because a client without a topic does not connect again. A topic that was wanted at the
 * beginning of an outage is kept until the service has been up for `returnTime` in total. Further outages do not extend
 * this time.
 */
export class Demand<C extends TopicConsumer<C>> {
  private readonly feeds = new Map<Address, TopicFeed<C>>()
  /** The time in which the service was up, before the last change between up and down, in ms. */
  private upTimeBefore = 0
  /** When the service came up: monotonic, in ms; `undefined` while it is down. */
  private upSince: number | undefined
  private stopReleasing = (): void => undefined

  constructor(private readonly config: DemandConfig<C>) {
    this.upSince = config.clock.elapsed()
  }

  get size(): number {
    return this.feeds.size
  }

  /** The feed of a topic. A new one is not subscribed at the service: the caller adds a consumer, and then starts it. */
  feedOf(topic: Topic): TopicFeed<C> {
    const base = canonicalAddress(addressOf(topic))
    const known = this.feeds.get(base)
    if (known !== undefined) return known
    const onCompleted = (completed: TopicFeed<C>): void => this.delete(completed)
    const feed = new TopicFeed<C>(base, `${this.config.service}-${base}`, { ...this.config, onCompleted })
    this.feeds.set(base, feed)
    return feed
  }

  /** Unsubscribes from a topic that no consumer wants, unless it is kept. */
  releaseUnwanted(feed: TopicFeed<C>): void {
    if (!feed.isWanted && feed.keptUntil <= this.upTime) this.delete(feed)
  }

  /** An outage begins: keeps the topics that are wanted now. Called before their consumers are ended. */
  onDown(): void {
    this.stopReleasing()
    this.upTimeBefore = this.upTime
    this.upSince = undefined
    for (const feed of this.feeds.values()) if (feed.isWanted) feed.keptUntil = this.upTimeBefore + returnTime
  }

  /** The outage ends. */
  onUp(): void {
    const { clock } = this.config
    this.upSince ??= clock.elapsed()
    this.stopReleasing()
    this.stopReleasing = clock.startInterval(() => this.releaseAll(), releaseInterval)
    this.releaseAll()
  }

  snapshot() {
    return Array.from(this.feeds.values(), ({ snapshot }) => snapshot)
  }

  close(): void {
    this.stopReleasing()
    for (const feed of this.feeds.values()) this.delete(feed)
  }

  private delete(feed: TopicFeed<C>): void {
    if (this.feeds.get(feed.base) === feed) this.feeds.delete(feed.base)
    feed.stop()
  }

  /** The time in which the service has been up, in ms. */
  private get upTime(): number {
    const { upSince, upTimeBefore } = this
    return upSince === undefined ? upTimeBefore : upTimeBefore + this.config.clock.elapsed() - upSince
  }

  private releaseAll(): void {
    const { upTime } = this
    let areKept = false
    for (const feed of this.feeds.values()) {
      this.releaseUnwanted(feed)
      areKept ||= feed.keptUntil > upTime
    }
    if (!areKept) this.stopReleasing()
  }
}
