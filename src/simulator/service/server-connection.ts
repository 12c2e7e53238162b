import type { WebSocket } from 'ws'
import type { Address } from '../../base/domain/address.js'
import type { Garbage } from '../faults/faults.js'
import {
  parseClientMessage,
  invalidRequestText,
  invalidTupleText,
  unsupportedTopicText,
  baseOfTopic,
  topicWithQuote,
} from './protocol.js'
import type { ConnectionView, ServiceContext } from './service-context.js'

/** Payload of a WebSocket frame: text, or the bytes of a binary frame. */
export type RawFrame = string | Uint8Array

/** No prices are sent to a client while more than this many bytes are unsent. */
const maxBufferedBytes = 16 * 1024 * 1024

/** One WebSocket connection: its topics, and responses to its messages (section 4.3 of the service's documentation). */
export class ServerConnection {
  /** Subscribed topics by base token, in the client's latest spelling. */
  private readonly topics = new Map<Address, string>()
  private pings = 0
  private publishedCount = 0

  constructor(
    private readonly context: ServiceContext,
    private readonly socket: WebSocket,
    private readonly id: number,
    private readonly path: string,
  ) {}

  get view(): ConnectionView {
    const { id, path, topics, pings } = this
    return { id, path, topics: [...topics.values()], pings }
  }

  /** Handles a frame. Sends one response. */
  receive(text: string, isBinary: boolean): void {
    const message = isBinary ? invalidRequestText('expected a text frame') : parseClientMessage(text)
    if (typeof message === 'string') return this.send(message)
    const address = baseOfTopic(message.topic, this.context.name)
    if (address === undefined) this.send(invalidTupleText)
    else if (message.method === 'subscribe') this.subscribe(address, message.topic)
    else this.unsubscribe(address)
  }

  countPing(): void {
    this.pings += 1
  }

  /** Sends a price update if the connection is subscribed to the token and the service is not stalled. */
  publish(address: Address, price: number): void {
    const { stall, garbage = [] } = this.context.faults.current
    if (!this.topics.has(address) || stall === true || this.socket.bufferedAmount > maxBufferedBytes) return
    const topic = this.echoedTopic(address)
    const extraFrame = garbageFrame(garbage, this.publishedCount++, topic)
    if (extraFrame !== undefined) this.send(extraFrame)
    this.send(JSON.stringify({ topic, price }))
  }

  send(frame: RawFrame): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(frame)
  }

  private subscribe(address: Address, topic: string): void {
    const { name, listings, faults } = this.context
    const { rejectSubscribes, namelessErrors } = faults.current
    const listing = rejectSubscribes === true ? undefined : listings.find(address)
    if (listing === undefined) {
      return this.send(namelessErrors === true ? invalidTupleText : unsupportedTopicText(name, address))
    }
    this.topics.set(address, topic)
    this.confirm([address])
    this.publish(address, listing.quote.price)
  }

  private unsubscribe(address: Address): void {
    this.topics.delete(address)
    this.confirm([])
  }

  /** `added`: what a confirmation of the new topic only lists. Without a new topic, there is none. */
  private confirm(added: readonly Address[]): void {
    const { confirmations } = this.context.faults.current
    if (confirmations === 'none' || (confirmations === 'new-only' && added.length === 0)) return
    const addresses = confirmations === 'new-only' ? added : this.topics.keys()
    this.send(
      JSON.stringify({ subscriptions: Array.from(addresses, (address) => this.echoedTopic(address)) }),
    )
  }

  private echoedTopic(address: Address): string {
    const { name, faults } = this.context
    return faults.current.echoQuote === true
      ? topicWithQuote(address, name)
      : (this.topics.get(address) ?? '')
  }
}

/** Prices as JSON text; `undefined` omits the field. `1e999` parses as `Infinity`. */
const wrongPrices = ['"12.5"', '0', '-12.5', 'null', '1e999', undefined]

const wrongMessages = ['{}', '[]', '42', 'null', '"price"', '{"subscriptions":"all"}']

/** Builds a frame for a topic. `round` selects the variant. */
const frameByKind: Readonly<Record<Garbage, (topic: string, round: number) => RawFrame | undefined>> = {
  malformed: (topic) => `{"topic":${JSON.stringify(topic)},"price":`,
  'no-message': (_, round) => wrongMessages[round % wrongMessages.length],
  'wrong-price': (topic, round) => {
    const price = wrongPrices[round % wrongPrices.length]
    const priceField = price === undefined ? '' : `,"price":${price}`
    return `{"topic":${JSON.stringify(topic)}${priceField}}`
  },
  'unknown-topic': () => '{"topic":"another-0xdead","price":12.5}',
  binary: () => Buffer.from([0xde, 0xad, 0xbe, 0xef]),
  oversized: () => 'x'.repeat(2 * 1024 * 1024),
}

/** The garbage frame to send before the n-th price update of a connection; `undefined` if `kinds` is empty. */
const garbageFrame = (kinds: readonly Garbage[], n: number, topic: string): RawFrame | undefined => {
  const kind = kinds[n % kinds.length]
  return kind === undefined ? undefined : frameByKind[kind](topic, Math.floor(n / kinds.length))
}
