import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceEvent } from '../../../src/prices/subscribers.js'
import type { PriceLog, SentPrice } from '../world/price-log.js'
import type { SimulatedProcess } from '../world/process.js'
import type { RequestObserver } from '../world/http-transport.js'
import type { PortObserver, PortSocket } from '../world/web-socket-transport.js'
import type { World } from '../world/world.js'

/** A pause of the process after which the client requires an answer before it delivers a price, in ms. */
const longPauseMs = 60_000

/** The times that the client of a simulation is created with, in ms. */
export interface ClientTimes {
  readonly linger: number
  readonly staleAfter: number
  readonly confirmTimeout: number
  readonly connectTimeout: number
  readonly maxLag: number
  readonly pingInterval: number
  readonly pongTimeout: number
  readonly maxDelay: number
}

/** A topic on the open connection. Times are those in which the process was running, in ms. */
export interface TopicOnSocket {
  /** When the last subscribe frame was sent, unless an unsubscribe frame followed. */
  requestedAt: number | undefined
  /** The time of the world at which the last frame was sent, in ms. */
  sentAt: number
  isConfirmed: boolean
  /** The index of the newest price that has arrived; -1 if none has. */
  arrivedIndex: number
  arrivedAt: number
}

/** A price that a client has read. `at`: in ms. */
export interface ArrivedPrice {
  readonly sent: SentPrice
  readonly at: number
}

/** The open connection of a client. */
export interface OpenSocket {
  readonly socket: PortSocket
  readonly openedAt: number
  readonly topics: Map<string, TopicOnSocket>
  /** The prices that the client has read, by id. One that a gateway has sent again replaces the one before. */
  readonly arrived: Map<number, ArrivedPrice>
  epoch: number | undefined
}

/** A subscriber of `price$`. */
export interface SubscriberRecord {
  readonly topic: string
  readonly base: string
  readonly joinedAt: number
  /** The newest price that had arrived when it joined; -1 if none had. */
  readonly joinedAtIndex: number
  /** The connection that was open when it joined. */
  readonly joinedOn: PortSocket | undefined
  /** The first price that has arrived on the open connection since it joined; -1 if none has. */
  firstDue: number
  isActive: boolean
  lastEvent: 'none' | 'price' | 'failure'
  /** The connection and the index of its last price. */
  lastSocket: PortSocket | undefined
  lastIndex: number
  /** When it received its last price, in ms in which the process was running. */
  lastPriceAt: number
  /** True after a `Stale`: prices may be left out until the next one. */
  mayMissPrices: boolean
}

/** All that is known of one client: what passed its ports, and what its subscribers received. Only records. */
export class Ledger implements PortObserver, RequestObserver {
  open: OpenSocket | undefined
  readonly subscribers = new Set<SubscriberRecord>()
  /** Since when each topic has had subscribers, or none. */
  readonly wantedSince = new Map<string, number>()
  readonly idleSince = new Map<string, number>()
  readonly requests = new Map<string, number>()
  /** When the last dials began, in ms. */
  readonly dials: number[] = []
  /** The number of programs that request topics of this client: of a gateway, the most consumers that it had at once. */
  programs = 1
  /** The most timers without topics. */
  baseTimers = 30
  /** True once the service has answered a ping of this client. */
  isProbed = false
  /** When the service or the gateway answered the last time, in ms in which the process was running. */
  answeredAt = 0
  /** The price that the client is reading. */
  reading: SentPrice | undefined
  /** True from a long pause of the process until the answer that the client then requires. */
  isAnswerMissing = false
  /** When the last fault ended, in ms in which the process was running. */
  healthySince = 0
  /** The number of events that subscribers have received. */
  eventCount = 0

  constructor(
    readonly name: string,
    readonly world: World,
    readonly process: SimulatedProcess,
    readonly times: ClientTimes,
    readonly prices: PriceLog,
  ) {}

  // The port of the WebSocket.

  onDial({ id }: PortSocket): void {
    this.dials.push(this.world.now)
    this.trace(() => `dials socket ${id}`)
  }

  onOpened(socket: PortSocket): void {
    this.open = {
      socket,
      openedAt: this.process.activeMs,
      topics: new Map(),
      arrived: new Map(),
      epoch: undefined,
    }
    this.isAnswerMissing = false
    for (const subscriber of this.subscribers) subscriber.firstDue = -1
    this.trace(() => `socket ${socket.id} is open`)
  }

  onSent({ id }: PortSocket, frame: string): void {
    this.trace(() => `socket ${id} > ${frame}`)
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const state = this.topicOn(baseOf(topic))
    if (state === undefined) return
    state.isConfirmed = false
    state.sentAt = this.world.now
    state.requestedAt = method === 'subscribe' ? this.process.activeMs : undefined
    if (method === 'unsubscribe') state.arrivedIndex = -1
  }

  onReceived({ id }: PortSocket, frame: string, sent: SentPrice | undefined): void {
    this.trace(() => `socket ${id} < ${frame}`)
    this.reading = undefined
    if (!frame.startsWith('{"')) return this.onErrorText(frame)
    const { subscriptions = [] } = JSON.parse(frame) as { readonly subscriptions?: readonly string[] }
    for (const topic of subscriptions) this.confirm(topic)
    if (sent === undefined) return
    this.reading = sent
    this.open?.arrived.set(sent.id, { sent, at: this.process.now })
    const state = this.topicOn(sent.base)
    // The client drops a late price of a topic that it has unsubscribed, or that the service has rejected.
    if (state?.requestedAt === undefined) return
    if (!this.isAnswerMissing) state.isConfirmed = true
    state.arrivedIndex = sent.index
    state.arrivedAt = this.process.activeMs
    for (const subscriber of this.subscribers)
      if (subscriber.base === sent.base && subscriber.firstDue < 0) subscriber.firstDue = sent.index
  }

  onPong(): void {
    this.isProbed = true
    this.answeredAt = this.process.activeMs
    this.isAnswerMissing = false
    this.reading = undefined
  }

  onClosed(socket: PortSocket, how: string): void {
    if (this.open?.socket === socket) this.open = undefined
    this.trace(() => `socket ${socket.id} is closed: ${how}`)
  }

  // The port of HTTP.

  onRequest(path: string): void {
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1)
    this.trace(() => `GET ${path}`)
  }

  onRequestEnd(path: string): void {
    this.requests.set(path, (this.requests.get(path) ?? 1) - 1)
  }

  // The user.

  onSubscribe(topic: string): SubscriberRecord {
    const base = baseOf(topic)
    const onSocket = this.open?.topics.get(base)
    const record: SubscriberRecord = {
      ...{
        topic,
        base,
        joinedAt: this.process.activeMs,
        joinedAtIndex: onSocket?.arrivedIndex ?? -1,
        firstDue: -1,
      },
      ...{ joinedOn: this.open?.socket, isActive: true, lastEvent: 'none', lastSocket: undefined },
      ...{ lastIndex: -1, lastPriceAt: 0, mayMissPrices: false },
    }
    this.subscribers.add(record)
    this.idleSince.delete(base)
    if (!this.wantedSince.has(base)) this.wantedSince.set(base, this.process.activeMs)
    this.trace(() => `subscribes to ${topic}`)
    return record
  }

  /** The subscriber has left, or its stream has completed. */
  onLeave(record: SubscriberRecord): void {
    if (!record.isActive) return
    record.isActive = false
    this.subscribers.delete(record)
    this.trace(() => `leaves ${record.topic}`)
    const { base } = record
    if ([...this.subscribers].some((other) => other.base === base)) return
    this.wantedSince.delete(base)
    this.idleSince.set(base, this.process.activeMs)
  }

  /** Called after the checks of the event. */
  onEvent(record: SubscriberRecord, event: PriceEvent): void {
    this.eventCount++
    if (isLeft(event)) {
      record.lastEvent = 'failure'
      if (event.left._tag === 'Stale') record.mayMissPrices = true
      if (event.left._tag === 'Disconnected') record.mayMissPrices = false
      // The client forgets a topic that the service has rejected.
      if (event.left._tag === 'SubscriptionRejected') this.open?.topics.delete(record.base)
      return
    }
    const sent = this.arrived(event.right.price)?.sent
    record.lastEvent = 'price'
    record.mayMissPrices = false
    record.lastSocket = sent?.socket
    record.lastIndex = sent?.index ?? -1
    record.lastPriceAt = this.process.activeMs
  }

  /** A price that has arrived on the open connection. */
  arrived(id: number): ArrivedPrice | undefined {
    return this.open?.arrived.get(id)
  }

  onContinue(pausedMs: number): void {
    if (pausedMs >= longPauseMs && this.open !== undefined) this.isAnswerMissing = true
  }

  trace(text: () => string): void {
    this.world.trace(this.name, text)
  }

  /** A topic without subscribers that the service rejects needs no unsubscribe frame, and nobody receives the rejection. */
  private onErrorText(text: string): void {
    const base = /tuple: (0x\w+)$/.exec(text)?.[1]
    if (base === undefined || !this.idleSince.has(base)) return
    const state = this.open?.topics.get(base)
    if (state?.isConfirmed === false) state.requestedAt = undefined
  }

  private confirm(topic: string): void {
    const state = this.open?.topics.get(baseOf(topic))
    if (state?.requestedAt !== undefined) state.isConfirmed = true
  }

  private topicOn(base: string): TopicOnSocket | undefined {
    const { open } = this
    if (open === undefined) return undefined
    const state = open.topics.get(base) ?? {
      requestedAt: undefined,
      sentAt: 0,
      isConfirmed: false,
      arrivedIndex: -1,
      arrivedAt: 0,
    }
    open.topics.set(base, state)
    return state
  }
}

/** The address of a topic in lower case, without a quote. */
export const baseOf = (topic: string): string => (topic.split('-')[1] ?? topic).toLowerCase()
