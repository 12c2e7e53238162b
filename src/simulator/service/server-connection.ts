import type { WebSocket } from 'ws'
import type { Address } from '../../domain/address.js'
import type { Garbage } from '../faults/faults.js'
import {
  parseClientMessage,
  invalidRequestText,
  invalidTupleText,
  unsupportedTopicText,
  baseOfTopic,
  topicWithQuote,
  type ClientMessage,
} from './protocol.js'
import type { ConnectionView, ServiceContext } from './service-context.js'

/** One WebSocket connection: its topics, and responses to its messages (section 4.3 of the service's documentation). */
export interface ServerConnection {
  readonly view: ConnectionView
  /** Handles a frame. Sends one response. */
  readonly receive: (text: string, isBinary: boolean) => void
  readonly countPing: () => void
  /** Sends a price update if the connection is subscribed to the token and the service is not stalled. */
  readonly publish: (address: Address, price: number) => void
  readonly send: (frame: RawFrame) => void
}

/** Payload of a WebSocket frame: text, or the bytes of a binary frame. */
export type RawFrame = string | Uint8Array

/** No prices are sent to a client while more than this many bytes are unsent. */
const maxBufferedBytes = 16 * 1024 * 1024

export const createServerConnection = (
  { name, listings, faults }: ServiceContext,
  socket: WebSocket,
  id: number,
  path: string,
): ServerConnection => {
  /** Subscribed topics by base token, in the client's latest spelling. */
  const topics = new Map<Address, string>()
  let pings = 0
  let publishedCount = 0

  const send = (frame: RawFrame): void => {
    if (socket.readyState === socket.OPEN) socket.send(frame)
  }

  const echoedTopic = (address: Address): string =>
    faults.current.echoQuote === true ? topicWithQuote(address, name) : (topics.get(address) ?? '')

  const publish = (address: Address, price: number): void => {
    const { stall, garbage = [] } = faults.current
    if (!topics.has(address) || stall === true || socket.bufferedAmount > maxBufferedBytes) return
    const topic = echoedTopic(address)
    const extraFrame = garbageFrame(garbage, publishedCount++, topic)
    if (extraFrame !== undefined) send(extraFrame)
    send(JSON.stringify({ topic, price }))
  }

  const confirm = (addresses: Iterable<Address>): void =>
    send(JSON.stringify({ subscriptions: Array.from(addresses, echoedTopic) }))

  const confirmSubscribe = (address: Address): void => {
    const { confirmations } = faults.current
    switch (confirmations) {
      case undefined:
        return confirm(topics.keys())
      case 'new-only':
        return confirm([address])
      case 'none':
        return
    }
  }

  const confirmUnsubscribe = (): void => {
    const { confirmations } = faults.current
    switch (confirmations) {
      case undefined:
        return confirm(topics.keys())
      case 'new-only':
      case 'none':
        return
    }
  }

  const subscribe = (address: Address, topic: string): void => {
    const { rejectSubscribes, namelessErrors } = faults.current
    const listing = rejectSubscribes === true ? undefined : listings.find(address)
    if (listing === undefined) {
      send(namelessErrors === true ? invalidTupleText : unsupportedTopicText(name, address))
      return
    }
    topics.set(address, topic)
    confirmSubscribe(address)
    publish(address, listing.quote.price)
  }

  const unsubscribe = (address: Address): void => {
    topics.delete(address)
    confirmUnsubscribe()
  }

  const handlers: Readonly<Record<ClientMessage['method'], (address: Address, topic: string) => void>> = {
    subscribe,
    unsubscribe,
  }

  const handleMessage = ({ method, topic }: ClientMessage): void => {
    const address = baseOfTopic(topic, name)
    if (address === undefined) send(invalidTupleText)
    else handlers[method](address, topic)
  }

  return {
    get view() {
      return { id, path, topics: [...topics.values()], pings }
    },
    receive: (text, isBinary) => {
      const message = isBinary ? invalidRequestText('expected a text frame') : parseClientMessage(text)
      if (typeof message === 'string') send(message)
      else handleMessage(message)
    },
    countPing: () => {
      pings += 1
    },
    publish,
    send,
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
