import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { canonicalAddress, type Address, addressOf, type Topic } from '../../base/domain/topic.js'
import { responsiveDeadline } from '../../base/time/timers.js'
import { maxTopicLength } from '../../gateway/subscriptions/sessions.js'
import { decodeClientMessage } from '../../gateway/websocket/client-message.js'
import {
  messageTooBig,
  noCloseFrame,
  notifyPong,
  unboundedPayload,
  type InternalSocket,
  type SocketListener,
  type WebSocketTransport,
} from '../../wire/transport/ports.js'
import {
  decodeConsumerMessage,
  encodeGatewayMessage,
  type ConsumerMessageOf,
  type GatewayMessage,
} from '../codec/messages.js'
import { readPriceUpdate, type PriceUpdateHeader } from '../codec/price-update.js'
import { publish } from '../publish.js'
import { DataAge, renewInterval } from './data-age.js'
import { reachGateway, type ConsumerContext } from './find-gateway.js'
import { TopicUpdatesTable } from './topic-updates.js'

/** Sessions with gateways over NATS. The URL of a dial is not used. The end of the link ends them. */
export const natsWebSocketTransport = (context: ConsumerContext): WebSocketTransport => ({
  dial: (_url, { maxFrameBytes }, listener) => {
    const socket = new NatsSocket(context, maxFrameBytes, listener)
    socket.dial()
    return socket
  },
  close: () => context.link.close(),
})

/** A gateway that has not answered for this time is lost, in ms. Two renewals are sent within it. */
export const replyTime = 1_400

/** A session with one gateway, as a socket: frames of the client become messages to the gateway, and back. */
class NatsSocket implements InternalSocket {
  private readonly age: DataAge
  private readonly resources = new Subscription()
  private lossTimer = new Subscription()
  private connection: NatsConnection | undefined
  private readonly topics = new TopicUpdatesTable()
  /** The number of the last subscribe or unsubscribe message. */
  private requests = 0
  private readonly header: PriceUpdateHeader = { sequence: 0, time: 0, start: 0 }
  private session = ''
  private inbox = ''
  private gateway = ''
  /** When the open message was sent: monotonic, in ms. */
  private openedAt = 0
  private isOpen = false
  /** When the first subscribe message was sent: monotonic, in ms. */
  private requestedAt = Infinity

  constructor(
    private readonly context: ConsumerContext,
    private readonly maxFrameBytes: number,
    private readonly listener: SocketListener,
  ) {
    this.age = new DataAge(context.clock, context.maxLag)
  }

  /** Not in the constructor: the listener may be called at once. */
  dial(): void {
    this.resources.add(
      reachGateway(this.context, {
        onFound: (connection, gateway) => this.onFound(connection, gateway),
        onFailed: (reason) => this.end(noCloseFrame, reason),
      }),
    )
  }

  send(frame: string): void {
    const { connection, gateway, context, session } = this
    const { subjects, clock } = context
    if (!this.isOpen || this.resources.closed || connection === undefined) return
    const decoded = decodeClientMessage(frame)
    if (isLeft(decoded)) return
    const { method, topic } = decoded.right
    if (topic.length > maxTopicLength) return this.rejectLater(topic)
    const base = canonicalAddress(addressOf(topic as Topic))
    const number = ++this.requests
    if (number === 1) this.requestedAt = clock.elapsed()
    // Called before the subscribe message, so that no update after the confirmation is missed.
    if (method === 'unsubscribe') this.topics.remove(base)
    else
      this.topics.request(base, number, () =>
        this.subscribe(connection, subjects.price(gateway, base), ({ data }) => this.onUpdate(base, data)),
      )
    this.publish({ type: method, session, topic, number })
  }

  /** Such a topic would exceed the limits of NATS; the server would end the connection. */
  private rejectLater(topic: string): void {
    const text = `Invalid request: ${topic} is longer than ${maxTopicLength} characters`
    this.resources.add(this.context.clock.startImmediate(() => this.listener.text(text)))
  }

  isCurrent(base?: Address): boolean {
    return this.age.isCurrent(base && this.topics.newestAt(base))
  }

  readonly ping = (payload: string): void => {
    if (this.isOpen) this.age.onPing(payload)
  }

  close(): void {
    this.end(noCloseFrame, 'closed by the client')
  }

  terminate(): void {
    this.end(noCloseFrame, 'terminated by the client')
  }

  private onFound(connection: NatsConnection, gateway: string): void {
    const { link, clock, subjects, maxLag } = this.context
    this.connection = connection
    this.gateway = gateway
    this.inbox = createInbox(link.parsed.options.inboxPrefix)
    this.session = this.inbox.slice(this.inbox.lastIndexOf('.') + 1)
    const subscriptions = [
      this.subscribe(connection, this.inbox, (message) => this.onMessage(message)),
      this.subscribe(connection, subjects.proof(gateway), (message) => this.onProof(message.string())),
    ]
    for (const each of subscriptions) this.resources.add(() => each.unsubscribe())
    this.resources.add(clock.startInterval(() => this.renew(), renewInterval))
    this.awaitReply()
    this.openedAt = clock.elapsed()
    this.publish({ type: 'open', session: this.session, ...(maxLag === Infinity ? {} : { maxLag }) })
  }

  private subscribe(connection: NatsConnection, subject: string, onMessage: (message: Msg) => void) {
    return connection.subscribe(subject, {
      callback: (error, message) => {
        if (this.resources.closed) return
        if (error === null) onMessage(message)
        else this.end(noCloseFrame, `NATS: ${error.message}`)
      },
    })
  }

  /** The gateway is lost if it does not answer. Time in which the event loop is blocked does not count. */
  private awaitReply(): void {
    this.lossTimer.unsubscribe()
    this.lossTimer = responsiveDeadline(this.context.clock, replyTime, () =>
      this.end(noCloseFrame, 'the gateway does not answer'),
    )
  }

  private renew(): void {
    if (!this.isOpen) return
    const { session, requests } = this
    this.publish({ type: 'renew', session, number: this.context.clock.elapsed(), requests })
  }

  private publish(message: GatewayMessage): void {
    const { connection, gateway, inbox: reply } = this
    if (connection === undefined) return
    publish(connection, this.context.subjects.gateway(gateway), encodeGatewayMessage(message), reply)
  }

  private onMessage(message: Msg): void {
    // The answer of a NATS server to a message that no client receives.
    if (message.data.length === 0) return this.end(noCloseFrame, 'the gateway has left NATS')
    const decoded = decodeConsumerMessage(message.string())
    if (isLeft(decoded))
      return this.end(noCloseFrame, `invalid message of the gateway: ${decoded.left.message}`)
    const received = decoded.right
    if (received.type === 'opened') this.onOpened(received)
    else if (received.type === 'renewed') this.onRenewed(received)
    else if (received.type === 'confirmed') this.onConfirmed(received)
    else if (received.type === 'rejected') this.onRejected(received)
    else if (received.type === 'closed') this.end(received.code, received.reason)
  }

  private onOpened({ time }: ConsumerMessageOf<'opened'>): void {
    if (this.isOpen) return
    this.onReply(this.openedAt, time)
    // The gateway confirms the first topic by an answer of the service to a later probe.
    this.topics.onProof(time)
    this.isOpen = true
    this.context.followed$.next(this.gateway)
    this.listener.opened()
  }

  private onRenewed({ number, time }: ConsumerMessageOf<'renewed'>): void {
    this.onReply(number, time)
    this.listener.alive()
  }

  private onReply(sentAt: number, time: number): void {
    if (this.age.onReply(sentAt, time)) this.awaitReply()
  }

  /** The service has sent all later updates after this time of the gateway's clock. */
  private onProof(text: string): void {
    if (!this.isOpen) return
    const [time, mark] = text.split(' ')
    const lost = this.topics.onProof(Number(time))
    if (lost !== undefined) return this.onGap(lost)
    if (mark === unboundedPayload) notifyPong(this.listener, unboundedPayload)
    this.pong(this.age.answeredBy(Number(time)))
  }

  private pong(payload: string | undefined): void {
    if (payload !== undefined) notifyPong(this.listener, payload)
  }

  private onConfirmed(message: ConsumerMessageOf<'confirmed'>): void {
    const { topic, base, number, sequence, price, pendingSince } = message
    const verdict = this.topics.onConfirmed(base as Address, number, sequence, pendingSince)
    if (verdict === 'foreign') return
    if (verdict === 'gap') return this.onGap(base)
    const { listener } = this
    // Before the first price: until an answer, the client takes the gateway for a service that never answers.
    if (pendingSince === undefined) this.pong(this.age.answeredAt(this.requestedAt))
    // Prices after a repeated confirmation may have arrived before it.
    const position = verdict === 'deliver' && message.position && { topic, ...message.position }
    listener.text(JSON.stringify({ subscriptions: [topic], ...(position && { position }) }))
    if (verdict !== 'deliver' || price === undefined || this.resources.closed) return
    if (!this.endIfLate(price.time)) listener.text(price.frame)
  }

  private onRejected({ base, number, text }: ConsumerMessageOf<'rejected'>): void {
    if (this.topics.onRejected(base as Address, number)) this.listener.text(text)
  }

  private onUpdate(base: Address, data: Uint8Array): void {
    const { header } = this
    if (!readPriceUpdate(data, header)) return this.end(noCloseFrame, 'malformed price update of the gateway')
    const { sequence, start } = header
    const isHeartbeat = start === data.length
    const verdict = isHeartbeat
      ? this.topics.onHeartbeat(base, sequence)
      : this.topics.onUpdate(base, sequence)
    if (verdict === 'ignore') return
    if (verdict === 'gap') return this.onGap(base)
    if (!this.endIfLate(header.time)) this.deliver(data, start)
  }

  private deliver(data: Uint8Array, start: number): void {
    const { listener, maxFrameBytes } = this
    const length = data.length - start
    if (length > maxFrameBytes)
      return this.end(messageTooBig, `a message is longer than ${maxFrameBytes} bytes`)
    if (listener.bytes(data, start, data.length)) return
    listener.text(Buffer.from(data.buffer, data.byteOffset + start, length).toString())
  }

  /** `time`: of a price, by the clock of the gateway, in ms. */
  private endIfLate(time: number): boolean {
    const reason = this.age.lateReason(time)
    if (reason !== undefined) this.end(noCloseFrame, reason)
    return reason !== undefined
  }

  private onGap(base: string): void {
    this.end(noCloseFrame, `an update of ${base} is lost`)
  }

  private end(code: number, reason: string): void {
    if (this.resources.closed) return
    this.publish({ type: 'close', session: this.session })
    this.topics.clear()
    this.lossTimer.unsubscribe()
    this.resources.unsubscribe()
    const { followed$ } = this.context
    if (followed$.value === this.gateway) followed$.next(undefined)
    this.listener.closed(code, reason)
  }
}
