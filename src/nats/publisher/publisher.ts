import type { NatsConnection } from '@nats-io/transport-node'
import type { ConsumerMessage } from '../codec/messages.js'
import { encodeWithin } from '../codec/message-parts.js'
import { encodePriceUpdate } from '../codec/price-update.js'
import { unboundedPayload } from '../../wire/transport/ports.js'
import type { ConsumedTopic } from '../../gateway/subscriptions/topic-feed.js'
import { maxPayloadOf, publish } from '../connection/publish.js'
import type { Subjects } from '../subjects.js'
import type { PriceClock } from './price-clock.js'

/** Number of bytes that a gateway has published for its consumers, over all its connections to NATS. */
export interface SentBytes {
  /** Since the end of the last session. */
  bytes: number
}

/** A topic whose updates are published once for all sessions that want it. */
interface PublishedTopic {
  /** The number of the last update. */
  sequence: number
  /** The number of the last update among those of all topics. */
  publication: number
}

type Topic = Pick<ConsumedTopic, 'base'>

/** The messages that a gateway sends over one connection to NATS, with the identifier of this connection. */
export class Publisher {
  /** The number of price updates so far. No sequence number is higher. */
  publications = 0
  private readonly topics = new WeakMap<Topic, PublishedTopic>()

  constructor(
    private readonly connection: NatsConnection,
    readonly gateway: string,
    private readonly subjects: Subjects,
    private readonly priceClock: Pick<PriceClock, 'time'>,
    private readonly sent: SentBytes,
  ) {}

  /** The time of a price that arrives now, of the monotonic clock, in ms. */
  time(): number {
    return Math.floor(this.priceClock.time())
  }

  /**
   * Starts the numbers of a topic that no consumer wanted. Never reuses an earlier number, because a consumer that
   * still expects it has missed prices.
   */
  startTopic(topic: Topic): void {
    this.publications += 2
    this.topics.set(topic, { sequence: this.publications, publication: 0 })
  }

  /** The sequence number of the last update of a topic. */
  sequenceOf(topic: Topic): number {
    return this.topics.get(topic)?.sequence ?? 0
  }

  /** The sequence number of the last update, if it is among those after `publication`. */
  sequenceSince(topic: Topic, publication: number): number | undefined {
    const published = this.topics.get(topic)
    return published !== undefined && published.publication > publication ? published.sequence : undefined
  }

  publishPrice(topic: Topic, frame: string): void {
    const published = this.topics.get(topic)
    if (published === undefined) return
    const update = encodePriceUpdate(++published.sequence, this.time(), frame)
    // All characters are ASCII.
    if (publish(this.connection, this.subjects.price(this.gateway, topic.base), update)) {
      this.sent.bytes += update.length
    }
    published.publication = ++this.publications
  }

  /** Later updates were sent by the service after this time, of the monotonic clock, in ms, if their age is bounded. */
  publishProof(time: number, isBounded: boolean): void {
    const text = `${Math.floor(time)}${isBounded ? '' : ` ${unboundedPayload}`}`
    publish(this.connection, this.subjects.proof(this.gateway), text)
  }

  /** Sends a message of a session to its consumer. */
  send(inbox: string, message: ConsumerMessage): void {
    this.sent.bytes += this.reply(inbox, message)
  }

  /** Sends a message to a consumer without a session. Returns its size in bytes. */
  reply(inbox: string, message: ConsumerMessage): number {
    const { connection } = this
    if (connection.isClosed()) return 0
    let bytes = 0
    for (const text of encodeWithin(message, maxPayloadOf(connection))) {
      if (publish(connection, inbox, text)) bytes += Buffer.byteLength(text)
    }
    return bytes
  }
}
