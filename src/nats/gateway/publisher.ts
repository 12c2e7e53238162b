import type { NatsConnection } from '@nats-io/transport-node'
import type { ConsumerMessage } from '../../codec/nats/messages.js'
import { encodeWithin } from '../../codec/nats/message-parts.js'
import { encodePriceUpdate } from '../../codec/nats/price-update.js'
import type { Address } from '../../domain/address.js'
import { maxPayloadOf, publish } from '../connection/publish.js'
import type { Subjects } from '../subjects.js'
import type { PriceClock } from './price-clock.js'
import type { SentBytes } from './sent-bytes.js'

/** What a gateway sends over one connection to NATS, under an identifier of its own. */
export class Publisher {
  /** The number of price updates so far, and at least the sequence number of each. */
  publications = 0

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
   * The sequence number before the first update of a topic. Never reuses an earlier number: a consumer that still follows
   * one has missed prices.
   */
  startSequence(): number {
    this.publications += 2
    return this.publications
  }

  /** Returns the number of the update among those of all topics. */
  publishPrice(base: Address, sequence: number, frame: string): number {
    const update = encodePriceUpdate(sequence, this.time(), frame)
    // All characters are ASCII.
    if (publish(this.connection, this.subjects.price(this.gateway, base), update)) {
      this.sent.add(update.length)
    }
    return ++this.publications
  }

  /** Sends a message of a session to its consumer. */
  send(inbox: string, message: ConsumerMessage): void {
    this.sent.add(this.reply(inbox, message))
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
