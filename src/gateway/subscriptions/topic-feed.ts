import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { PriceFeed, TopicSource } from '../../client/price-feed.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Address, Topic } from '../../base/domain/topic.js'
import { positionField, type PricePosition } from '../../base/domain/past.js'
import type { Price } from '../../base/domain/price.js'
import { isPriceValue } from '../../base/domain/valid-numbers.js'
import type { PriceError } from '../../base/errors/model.js'
import type { GatewayTopicState } from '../gateway.js'

/** The interface of a topic for its consumers. */
export type ConsumedTopic = Pick<
  TopicFeed<never>,
  'base' | 'topic' | 'isConfirmed' | 'position' | 'currentFrame' | 'isUncertain'
>

/** A connection or a lease of one consumer, as its topics know it. */
export interface TopicConsumer<C extends TopicConsumer<C>> {
  /** The topics that the consumer wants. They add and remove themselves. */
  readonly feeds: Map<Address, TopicFeed<C>>
  /** The service has confirmed a topic whose subscribe message has no answer yet. */
  readonly confirm: (topic: ConsumedTopic) => void
  /** The service rejects the topic, which is removed. */
  readonly reject: (topic: ConsumedTopic, text: string) => void
}

export interface TopicFeedConfig<C extends TopicConsumer<C>> {
  readonly source: PriceFeed
  /** Encodes a price frame, once for all consumers. Its characters are all ASCII. */
  readonly encode: (payload: string) => string
  /** Sends a price to all consumers of the topic. There is at least one. */
  readonly send: (feed: TopicFeed<C>, frame: string) => void
  /** Records the topic until the subscription ends. Default: it is not recorded. */
  readonly record?: ((topic: Topic) => Subscription) | undefined
  /** Sends to all consumers of the topic that their last price of it is no longer current. */
  readonly sendUndecodable: (feed: TopicFeed<C>, payload: string) => void
  /** False while the connection to the service is down. */
  readonly isUp: () => boolean
  /** The stream has completed: the topic is rejected, or the client is closed. */
  readonly onCompleted: (feed: TopicFeed<C>) => void
}

/** One topic: its only subscription to the service, its last price, and the consumers that want it. */
export class TopicFeed<C extends TopicConsumer<C>> {
  readonly consumers = new Set<C>()
  private readonly subscription = new Subscription()
  /** `live` without a price: the service has confirmed the topic. */
  private state: GatewayTopicState = 'waiting'
  /** The up-time of the service until which the topic is kept without consumers, in ms. */
  keptUntil = -Infinity
  /** The last price in USD, on the open connection to the service. */
  private price: number | undefined
  private run: string | undefined
  private count = 0
  private isStarted = false
  private readonly prices: TopicSource

  constructor(
    /** The address in lower case. */
    readonly base: Address,
    /** The topic as it is requested from the service. */
    readonly topic: Topic,
    private readonly config: TopicFeedConfig<C>,
  ) {
    this.prices = config.source.sourceOf(topic)
  }

  /** Subscribes to the service. The first events may come at once. Returns false if it has subscribed before. */
  start(): boolean {
    const { config, topic } = this
    if (this.isStarted) return false
    this.isStarted = true
    this.subscription.add(config.record?.(topic))
    const event$ = this.prices.open$(() => this.onConfirmed())
    this.subscription.add(
      event$.subscribe({ next: (event) => this.onEvent(event), complete: () => this.onCompleted() }),
    )
    return true
  }

  stop(): void {
    this.subscription.unsubscribe()
  }

  /** The position of the last price that was sent. A price frame without a position is the next price. */
  get position(): PricePosition | undefined {
    const { run, count } = this
    return run === undefined ? undefined : { run, count }
  }

  get isConfirmed(): boolean {
    return this.state === 'live' || this.state === 'stale'
  }

  get isWanted(): boolean {
    return this.consumers.size > 0
  }

  get snapshot() {
    return { topic: this.topic, consumers: this.consumers.size, state: this.state }
  }

  /** Adds a consumer. It is answered when the service confirms the topic, unless it has. Idempotent. */
  add(consumer: C): void {
    consumer.feeds.set(this.base, this)
    this.consumers.add(consumer)
  }

  remove(consumer: C): void {
    consumer.feeds.delete(this.base)
    this.consumers.delete(consumer)
  }

  /** The last price with its age and position, encoded, if it is current. */
  currentFrame(): string | undefined {
    const { livePrice, config } = this
    return livePrice !== undefined && config.source.isUpToDate() ? this.frameOf(livePrice, false) : undefined
  }

  /** True while the last price may be older than `maxLag` of the gateway's client, which may hold a newer one. */
  isUncertain(): boolean {
    return this.livePrice !== undefined && !this.config.source.isUpToDate()
  }

  private get livePrice(): number | undefined {
    return this.state === 'live' ? this.price : undefined
  }

  private onConfirmed(): void {
    if (this.isConfirmed) return
    this.passPosition()
    this.confirm('live')
  }

  /** The service has answered: all consumers wait for that, unless it has before. */
  private confirm(state: 'live' | 'stale'): void {
    const { isConfirmed } = this
    this.state = state
    if (!isConfirmed) for (const consumer of this.consumers) consumer.confirm(this)
  }

  private onEvent(event: Either<PriceError, Price>): void {
    if (isRight(event)) this.onPrice(event.right.price)
    else this.onFailure(event.left)
  }

  private onPrice(price: number): void {
    // A test client may have a price that the service could not send, such as NaN.
    if (!isPriceValue(price)) return this.isConfirmed ? this.interrupt() : undefined
    this.confirm('live')
    this.price = price
    const isNext = this.passPosition()
    if (this.isWanted) this.config.send(this, this.frameOf(price, isNext))
  }

  /** True if the last price of the client directly follows the one before. False after prices that were held. */
  private passPosition(): boolean {
    const { run, count } = this
    const last = this.prices.position()
    this.run = last?.run
    this.count = last?.count ?? 0
    return run === this.run && (run === undefined || this.count === count + 1)
  }

  private onFailure(error: PriceError): void {
    switch (error._tag) {
      case 'Stale':
        return this.confirm('stale')
      case 'SubscriptionRejected':
        return this.onRejected(error.reason)
      case 'Disconnected':
      case 'ClientClosed':
        // Only this topic is disconnected, such as one that the next recording of a replay does not have.
        if (this.config.isUp()) this.interrupt()
        else this.state = 'down'
        this.price = undefined
        return
      // The client requests the topic again; a consumer without an answer also requests it again.
      case 'SubscriptionTimeout':
      case 'InvalidTopic':
        return
      // The message may have been a newer price.
      case 'DecodeError':
        if (this.isConfirmed) this.interrupt()
        return
      default:
        return assertNever(error)
    }
  }

  private onRejected(text: string): void {
    this.state = 'rejected'
    for (const consumer of this.consumers) {
      this.remove(consumer)
      consumer.reject(this, text)
    }
  }

  /** The consumers keep their last price until a newer one, unless they receive a price frame that has no price. */
  private interrupt(): void {
    const hadPrice = this.livePrice !== undefined
    this.confirm('stale')
    if (hadPrice && this.isWanted) {
      this.config.sendUndecodable(this, `{"topic":"${this.topic}","price":null}`)
    }
  }

  private onCompleted(): void {
    if (this.state !== 'rejected') this.state = 'down'
    this.price = undefined
    this.config.onCompleted(this)
  }

  /** A price that is sent in the tick of its arrival has no age. `isNext`: consumers can count it without a position. */
  private frameOf(price: number, isNext: boolean): string {
    const age = Math.round(this.prices.age())
    const position = age > 0 || !isNext ? this.position : undefined
    const ageField = age > 0 ? `,"age":${age}` : ''
    const end = position === undefined ? ageField : ageField + positionField(position)
    return this.config.encode(`{"topic":"${this.topic}","price":${price}${end}}`)
  }
}
