import type { WebSocket } from 'ws'
import type { Address } from '../../domain/address.js'
import { garbageFrame, type Frame } from '../faults/garbage.js'
import { readClientMessage, type ClientMessage } from './client-message.js'
import { invalidRequest, invalidTuple, unsupportedPrice } from './error-text.js'
import type { ConnectionView } from './received.js'
import type { Service } from './service.js'
import { baseOfTopic, withQuote } from './topic.js'

/** One WebSocket connection: its topics, and the answers to its messages (section 4.3 of the documentation). */
export interface ServiceConnection {
  readonly view: ConnectionView
  /** Takes a frame, and answers it once. */
  readonly receive: (text: string, isBinary: boolean) => void
  readonly pinged: () => void
  /** Sends a price update, if the token's topic is active and the service not stalled. */
  readonly publish: (address: Address, price: number) => void
  readonly send: (frame: Frame) => void
}

/** A client that reads slower than this gets no more prices until it has caught up, in bytes. */
const mostBuffered = 16 * 1024 * 1024

export const createServiceConnection = (
  { name, board, faults }: Service,
  socket: WebSocket,
  id: number,
  path: string,
): ServiceConnection => {
  /** By base token; spelled as the client spelled it last. */
  const topics = new Map<Address, string>()
  let pings = 0
  let published = 0

  const send = (frame: Frame): void => {
    if (socket.readyState === socket.OPEN) socket.send(frame)
  }

  const spelled = (address: Address): string =>
    faults.current.echoQuote === true ? withQuote(address, name) : (topics.get(address) ?? '')

  const publish = (address: Address, price: number): void => {
    const { stall, garbage = [] } = faults.current
    if (!topics.has(address) || stall === true || socket.bufferedAmount > mostBuffered) return
    const topic = spelled(address)
    const rubbish = garbageFrame(garbage, published++, topic)
    if (rubbish !== undefined) send(rubbish)
    send(JSON.stringify({ topic, price }))
  }

  const confirm = (addresses: Iterable<Address>): void =>
    send(JSON.stringify({ subscriptions: Array.from(addresses, spelled) }))

  const subscribe = (address: Address, topic: string): void => {
    const { rejectSubscribes, namelessErrors, confirmations } = faults.current
    const listing = rejectSubscribes === true ? undefined : board.find(address)
    if (listing === undefined) {
      send(namelessErrors === true ? invalidTuple : unsupportedPrice(name, address))
      return
    }
    topics.set(address, topic)
    if (confirmations !== 'none') confirm(confirmations === 'new-only' ? [address] : topics.keys())
    publish(address, listing.quote.price)
  }

  const unsubscribe = (address: Address): void => {
    topics.delete(address)
    if (faults.current.confirmations === undefined) confirm(topics.keys())
  }

  const serve = ({ method, topic }: ClientMessage): void => {
    const address = baseOfTopic(topic, name)
    if (address === undefined) send(invalidTuple)
    else if (method === 'subscribe') subscribe(address, topic)
    else unsubscribe(address)
  }

  return {
    get view() {
      return { id, path, topics: [...topics.values()], pings }
    },
    receive: (text, isBinary) => {
      const message = isBinary ? invalidRequest('expected a text frame') : readClientMessage(text)
      if (typeof message === 'string') send(message)
      else serve(message)
    },
    pinged: () => {
      pings += 1
    },
    publish,
    send,
  }
}
