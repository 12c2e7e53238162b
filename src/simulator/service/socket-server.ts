import { createServer, type Server } from 'node:http'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import type { Address } from '../../base/domain/topic.js'
import { refuseUpgrade, textResponse, writeResponse } from '../../gateway/server/http-response.js'
import type { Faults, Garbage } from '../faults/faults.js'
import {
  parseClientMessage,
  invalidRequestText,
  invalidTupleText,
  unsupportedTopicText,
  baseOfTopic,
  topicWithQuote,
} from './protocol.js'
import type { ConnectionView, ServiceContext } from './service-context.js'

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 64 * 1024

/** WebSocket server of the price reporter (section 4.3 of the service's documentation). */
export class SocketServer {
  /** The HTTP server that accepts upgrades. */
  readonly server: Server
  /** Number of upgrade requests, including refused ones. */
  upgrades = 0
  private readonly open = new Map<WebSocket, ServerConnection>()
  private readonly upgrader: WebSocketServer
  private lastId = 0
  private dropTimer: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(private readonly context: ServiceContext) {
    this.upgrader = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes })
    this.server = createServer((_, response) => {
      const headers = { Upgrade: 'websocket', Connection: 'Upgrade' }
      writeResponse(response, textResponse(426, 'Upgrade Required', headers))
    })
    this.server.on('upgrade', (request, socket, head) => {
      this.upgrades += 1
      const status = context.faults.current.refuseUpgrades
      if (status !== undefined) return refuseUpgrade(socket, status)
      this.upgrader.handleUpgrade(request, socket, head, (upgraded) =>
        this.accept(upgraded, request.url ?? ''),
      )
    })
    context.faults.onChange((faults) => this.onFaults(faults))
  }

  get connections(): readonly ConnectionView[] {
    return Array.from(this.open.values(), ({ view }) => view)
  }

  publish(address: Address, price: number): void {
    for (const connection of this.open.values()) connection.publish(address, price)
  }

  send(frame: RawFrame): void {
    for (const connection of this.open.values()) connection.send(frame)
  }

  /** Closes all connections: with a close frame if there is a code, otherwise without. */
  drop(code?: number): void {
    for (const socket of this.open.keys()) {
      if (code === undefined) socket.terminate()
      else {
        // A paused socket does not read the close frame of the client.
        socket.resume()
        socket.close(code)
      }
    }
    this.open.clear()
  }

  close(): void {
    this.isClosed = true
    clearInterval(this.dropTimer)
    for (const socket of this.upgrader.clients) {
      socket.close(1001)
      socket.terminate()
    }
  }

  private accept(socket: WebSocket, path: string): void {
    const { faults, frames } = this.context
    const id = ++this.lastId
    const connection = new ServerConnection(this.context, socket, id, path)
    this.open.set(socket, connection)
    if (faults.current.stall === true) socket.pause()
    socket.on('message', (data: RawData, isBinary) => {
      const text = (data as Buffer).toString(isBinary ? 'hex' : 'utf8')
      frames.add({ connection: id, text })
      connection.receive(text, isBinary)
    })
    socket.on('ping', () => (connection.pings += 1))
    // `ws` closes the socket after an error, such as a frame that violates the protocol.
    socket.on('error', () => undefined)
    socket.on('close', () => this.open.delete(socket))
  }

  private onFaults({ stall, drop }: Faults): void {
    for (const socket of this.open.keys()) {
      if (stall === true) socket.pause()
      else socket.resume()
    }
    clearInterval(this.dropTimer)
    if (drop !== undefined && !this.isClosed) {
      this.dropTimer = setInterval(() => this.drop(drop.code), drop.every)
    }
  }
}

/** Payload of a WebSocket frame: text, or the bytes of a binary frame. */
type RawFrame = string | Uint8Array

/** No prices are sent to a client while more than this many bytes are unsent. */
const maxBufferedBytes = 16 * 1024 * 1024

/** One WebSocket connection: its topics, and responses to its messages (section 4.3 of the service's documentation). */
class ServerConnection {
  /** Subscribed topics by base token, in the client's latest spelling. */
  private readonly topics = new Map<Address, string>()
  pings = 0
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
