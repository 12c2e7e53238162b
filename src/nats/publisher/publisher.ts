import type { NatsConnection } from '@nats-io/transport-node'
import { truncate } from '../../base/errors/text.js'
import type { ConsumedTopic } from '../../gateway/subscriptions/topic-feed.js'
import { unboundedPayload } from '../../wire/transport/ports.js'
import { encodeConsumerMessage, type ConsumerMessage } from '../codec/messages.js'
import { encodePriceUpdate } from '../codec/price-update.js'
import { maxPayloadOf, publish } from '../publish.js'
import type { Subjects } from '../subjects.js'
import type { PriceClock } from './price-clock.js'

type Topic = Pick<ConsumedTopic, 'base'>

/** The updates of a topic, which are published once for all sessions that want it. */
interface PublishedTopic {
  readonly feed: Topic & { readonly isWanted: boolean }
  /** The number of the last update. */
  sequence: number
  /** True if there was a message since the last check. */
  isFresh: boolean
}

/** In ms. A topic without a message for an interval gets a heartbeat: a consumer detects a lost last update within two intervals. */
export const heartbeatCheckTime = 375

/** The messages that a gateway sends over one connection to NATS, with the identifier of this connection. */
export class Publisher {
  /** No sequence number so far is higher. */
  private highest = 0
  private readonly topics = new Map<Topic, PublishedTopic>()
  /** The number of bytes that it has published for consumers since the end of the last session. */
  sentBytes = 0

  constructor(
    private readonly connection: NatsConnection,
    readonly gateway: string,
    private readonly subjects: Subjects,
    private readonly priceClock: Pick<PriceClock, 'time'>,
  ) {}

  /** The time of a price that arrives now, of the monotonic clock, in ms. */
  time(): number {
    return Math.floor(this.priceClock.time())
  }

  /** Never reuses an earlier number: a consumer that still expects it has missed prices. */
  startTopic(feed: PublishedTopic['feed']): void {
    this.highest += 2
    this.topics.set(feed, { feed, sequence: this.highest, isFresh: false })
  }

  sequenceOf(topic: Topic): number {
    return this.topics.get(topic)?.sequence ?? 0
  }

  publishPrice(topic: Topic, frame: string): void {
    const published = this.topics.get(topic)
    if (published === undefined) return
    const update = encodePriceUpdate(++published.sequence, this.time(), frame)
    // All characters are ASCII.
    if (publish(this.connection, this.subjects.price(this.gateway, topic.base), update)) {
      this.sentBytes += update.length
    }
    published.isFresh = true
    this.highest = Math.max(this.highest, published.sequence)
  }

  publishHeartbeats(): void {
    const time = this.time()
    for (const published of this.topics.values()) {
      const { feed } = published
      if (!feed.isWanted) this.topics.delete(feed)
      else if (!published.isFresh) {
        const heartbeat = encodePriceUpdate(published.sequence, time, '')
        publish(this.connection, this.subjects.price(this.gateway, feed.base), heartbeat)
      }
      published.isFresh = !published.isFresh
    }
  }

  /** Later updates were sent by the service after this time, of the monotonic clock, in ms, if their age is bounded. */
  publishProof(time: number, isBounded: boolean): void {
    const text = `${Math.floor(time)}${isBounded ? '' : ` ${unboundedPayload}`}`
    publish(this.connection, this.subjects.proof(this.gateway), text)
  }

  /** Sends a message to a consumer. One that is too long is shortened, or replaced by an error for its receiver. */
  send(inbox: string, message: ConsumerMessage): void {
    const maxBytes = maxPayloadOf(this.connection)
    const text = encodeConsumerMessage(message)
    const bytes = Buffer.byteLength(text)
    const sent = bytes <= maxBytes ? text : encodeConsumerMessage(shorterOf(message, bytes, maxBytes))
    if (publish(this.connection, inbox, sent)) this.sentBytes += Buffer.byteLength(sent)
  }
}

/** The length of a text that is shortened, in UTF-16 code units. */
const cutLength = 200

/** The status of the response that replaces a response that is too long: a truncated depth would be invalid. */
const badGateway = 502

const firstErrorStatus = 400

const shorterOf = (message: ConsumerMessage, bytes: number, maxBytes: number): ConsumerMessage => {
  // The text shows a consumer which topic is rejected.
  if (message.type === 'rejected')
    return { ...message, text: `${message.base}: ${truncate(message.text, cutLength)}` }
  if (message.type !== 'response') return message
  if (message.status >= firstErrorStatus) return { ...message, body: truncate(message.body, cutLength) }
  const body = `the response has ${bytes} bytes, NATS allows messages of ${maxBytes} bytes`
  return { ...message, status: badGateway, headers: {}, body }
}
