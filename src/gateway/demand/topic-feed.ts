import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { PriceFeed } from '../../client/price-feed.js'
import { assertNever } from '../../domain/assert-never.js'
import type { Address } from '../../domain/address.js'
import type { Price } from '../../domain/price.js'
import type { Topic } from '../../domain/topic.js'
import type { Disconnected, PriceError } from '../../errors/model.js'
import type { GatewayTopicState } from '../gateway-snapshot.js'
import type { CurrentPrice, TopicConsumer } from './topic-consumer.js'

export interface TopicFeedConfig<Frame> {
  readonly source: PriceFeed
  /** Encodes a price frame, once for all consumers. Its characters are all ASCII. */
  readonly encode: (payload: string) => Frame
  readonly listener: FeedListener<Frame>
}

export interface FeedListener<Frame> {
  readonly onDisconnected: (feed: TopicFeed<Frame>, error: Disconnected) => void
  /** Called for each event that shows that the stream is connected. */
  readonly onConnected: (feed: TopicFeed<Frame>) => void
  /** The stream has completed: the topic is rejected, or the client is closed. */
  readonly onCompleted: (feed: TopicFeed<Frame>) => void
}

/** One topic: its only subscription to the service, its last price, and the consumers that want it. */
export class TopicFeed<Frame> implements CurrentPrice<Frame> {
  private readonly consumers = new Set<TopicConsumer<Frame>>()
  /** The consumers whose subscribe message is answered when the service confirms the topic. */
  private readonly unanswered = new Set<TopicConsumer<Frame>>()
  private readonly subscription = new Subscription()
  /** `live` without a price: the service has confirmed the topic. */
  private state: GatewayTopicState = 'waiting'
  /** The last price in USD, on the open connection to the service. */
  private price: number | undefined
  private isStarted = false

  constructor(
    readonly base: Address,
    readonly topic: Topic,
    private readonly config: TopicFeedConfig<Frame>,
  ) {}

  /** Subscribes to the service. The first events may come at once. Idempotent. */
  start(): void {
    if (this.isStarted) return
    this.isStarted = true
    const event$ = this.config.source.price$(this.topic, () => this.onConfirmed())
    this.subscription.add(
      event$.subscribe({ next: (event) => this.onEvent(event), complete: () => this.onCompleted() }),
    )
  }

  stop(): void {
    this.subscription.unsubscribe()
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

  /** Adds a consumer, and sends it the last price if that is current. */
  add(consumer: TopicConsumer<Frame>): void {
    this.consumers.add(consumer)
    this.answer(consumer)
    const frame = this.currentFrame()
    if (frame !== undefined) consumer.send(frame, this)
  }

  /** The last price with its age, if it is current. */
  currentFrame(): Frame | undefined {
    return this.state === 'live' && this.price !== undefined ? this.frameOf(this.price) : undefined
  }

  remove(consumer: TopicConsumer<Frame>): void {
    this.consumers.delete(consumer)
    this.unanswered.delete(consumer)
  }

  /** Answers a subscribe message, now or once the service has confirmed the topic. */
  answer(consumer: TopicConsumer<Frame>): void {
    if (this.isConfirmed) consumer.confirm(this.topic)
    else this.unanswered.add(consumer)
  }

  private onConfirmed(): void {
    if (this.isConfirmed) return
    this.state = 'live'
    this.answerAll()
  }

  private answerAll(): void {
    for (const consumer of this.unanswered) consumer.confirm(this.topic)
    this.unanswered.clear()
  }

  private onEvent(event: Either<PriceError, Price>): void {
    if (isRight(event)) this.onPrice(event.right.price)
    else this.onFailure(event.left)
  }

  private onPrice(price: number): void {
    this.price = price
    this.state = 'live'
    this.config.listener.onConnected(this)
    if (this.unanswered.size > 0) this.answerAll()
    const frame = this.frameOf(price)
    for (const consumer of this.consumers) consumer.send(frame, this)
  }

  private onFailure(error: PriceError): void {
    switch (error._tag) {
      case 'Stale':
        this.state = 'stale'
        this.config.listener.onConnected(this)
        return this.answerAll()
      case 'SubscriptionRejected':
        this.state = 'rejected'
        return this.reject(error.reason)
      case 'Disconnected':
      case 'ClientClosed':
        this.state = 'down'
        this.price = undefined
        if (error._tag === 'Disconnected') this.config.listener.onDisconnected(this, error)
        return
      // The client requests the topic again; a consumer without an answer does so too.
      case 'SubscriptionTimeout':
      // No price, so that the topic becomes stale.
      case 'DecodeError':
      case 'InvalidTopic':
        return
      default:
        return assertNever(error)
    }
  }

  private reject(text: string): void {
    for (const consumer of this.consumers) consumer.reject(this.base, text)
    this.consumers.clear()
    this.unanswered.clear()
  }

  private onCompleted(): void {
    if (this.state !== 'rejected') this.state = 'down'
    this.price = undefined
    this.config.listener.onCompleted(this)
  }

  /** A price that is passed on in the tick in which it came has no age. */
  private frameOf(price: number): Frame {
    const age = Math.round(this.config.source.priceAge(this.topic))
    const end = age > 0 ? `,"age":${age}}` : '}'
    return this.config.encode(`{"topic":"${this.topic}","price":${price}${end}`)
  }
}
