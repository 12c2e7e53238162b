import {
  noCloseFrame,
  type Socket,
  type SocketListener,
  type WebSocketTransport,
} from '../../transport/ports.js'
import type { ConsumerContext } from './consumer-context.js'
import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { decodeClientMessage } from '../../codec/client-message.js'
import {
  decodeConsumerMessage,
  encodeGatewayMessage,
  type ConsumerMessage,
  type ConsumerMessageOf,
  type GatewayMessage,
} from '../../codec/nats/messages.js'
import { assertNever } from '../../domain/assert-never.js'
import { canonicalAddress } from '../../domain/address.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import { maxTopicLength } from '../../gateway/sessions/sessions.js'
import { responsiveDeadline } from '../../time/deadline.js'
import { isUndelivered, publish } from '../connection/publish.js'
import { findGateway, findTime } from './find-gateway.js'
import { Lag } from './lag.js'
import { Renewals } from './renewals.js'
import { SessionUpdates } from './session-updates.js'

/** Sessions with gateways over NATS. The URL of a dial has no meaning. */
export const natsWebSocketTransport = (context: ConsumerContext): WebSocketTransport => {
  const sockets = new Set<NatsSocket>()
  return {
    dial: (_url, { maxFrameBytes }, listener) => {
      const socket = new NatsSocket(context, maxFrameBytes, listener, (ended) => sockets.delete(ended))
      sockets.add(socket)
      socket.dial()
      return socket
    },
    close: () => {
      for (const socket of [...sockets]) socket.close()
      return context.link.close()
    },
  }
}

/** The time between two renewals of the lease, in ms. */
export const renewInterval = 500

/** A gateway that has not answered for this time is lost, in ms. Two renewals are sent within it. */
export const replyTime = 1_400

/** A session with one gateway, as a socket: frames of the client become messages to the gateway, and back. */
class NatsSocket implements Socket {
  private readonly lag = new Lag()
  private readonly renewals = new Renewals()
  private readonly resources = new Subscription()
  private lossTimer = new Subscription()
  private connection: NatsConnection | undefined
  /** Defined once a gateway is found. */
  private updates: SessionUpdates | undefined
  private session = ''
  private inbox = ''
  private gateway = ''
  private isOpen = false
  private isEnded = false
  /** Why no gateway is found. */
  private refusal = 'no gateway answers'
  /** When the newest renewal that is answered was sent: monotonic, in ms. Everything read since is as new. */
  private measuredAt = 0

  constructor(
    private readonly context: ConsumerContext,
    private readonly maxFrameBytes: number,
    private readonly listener: SocketListener,
    private readonly onEnd: (socket: NatsSocket) => void,
  ) {}

  /** Not in the constructor: the listener may be called at once. */
  dial(): void {
    const { link, clock } = this.context
    this.resources.add(
      responsiveDeadline(clock, findTime, () => {
        if (!this.isOpen) this.end(noCloseFrame, this.openFailure())
      }),
    )
    this.resources.add(
      link.use({
        onConnected: (connection) => this.onConnected(connection),
        onLost: (reason) => this.end(noCloseFrame, reason),
      }),
    )
  }

  send(frame: string): void {
    if (!this.isOpen || this.isEnded) return
    const decoded = decodeClientMessage(frame)
    if (isLeft(decoded)) return
    const { method, topic } = decoded.right
    if (topic.length > maxTopicLength) return this.rejectLater(topic)
    const base = canonicalAddress(addressOf(topic as Topic))
    // Before the subscribe message: no update after the confirmation is missed.
    const number = this.updates?.[method](base) ?? 0
    this.publish({ type: method, session: this.session, topic, number })
  }

  /** Such a topic would exceed the limits of NATS, which ends the connection. */
  private rejectLater(topic: string): void {
    const text = `Invalid request: ${topic} is longer than ${maxTopicLength} characters`
    this.resources.add(this.context.clock.startImmediate(() => this.listener.text(text)))
  }

  readonly ping = (): void => {
    if (this.isOpen) this.renew(true)
  }

  /** A blocked event loop has read neither prices nor replies. */
  readonly isCurrent = (): boolean => {
    const { clock, maxLag } = this.context
    return clock.elapsed() - this.measuredAt <= Math.max(maxLag, 2 * renewInterval)
  }

  close(): void {
    this.end(noCloseFrame, 'closed by the client')
  }

  terminate(): void {
    this.end(noCloseFrame, 'terminated by the client')
  }

  private openFailure(): string {
    const { link } = this.context
    return this.connection === undefined
      ? `NATS is not reachable${link.problemText}`
      : `${this.refusal}${link.problemText}`
  }

  private onConnected(connection: NatsConnection): void {
    this.connection = connection
    this.resources.add(
      findGateway(this.context, connection, {
        onFound: (gateway) => this.onFound(connection, gateway),
        onRefused: (reason) => (this.refusal = reason),
      }),
    )
  }

  private onFound(connection: NatsConnection, gateway: string): void {
    const { inboxPrefix, clock } = this.context
    this.gateway = gateway
    this.inbox = createInbox(inboxPrefix)
    this.session = this.inbox.slice(this.inbox.lastIndexOf('.') + 1)
    const subscription = connection.subscribe(this.inbox, {
      callback: (error, message) => {
        if (error !== null) this.end(noCloseFrame, `NATS: ${error.message}`)
        else this.onMessage(message)
      },
    })
    this.resources.add(() => subscription.unsubscribe())
    this.resources.add(clock.startInterval(() => this.renew(false), renewInterval))
    this.updates = new SessionUpdates({
      ...this.context,
      connection,
      gateway,
      lag: this.lag,
      maxFrameBytes: this.maxFrameBytes,
      listener: this.listener,
      end: (code, reason) => this.end(code, reason),
    })
    this.awaitReply()
    this.renewals.onSent(0, clock.elapsed())
    this.publish({ type: 'open', session: this.session })
  }

  /** The gateway is lost if it does not answer. Time in which the event loop is blocked does not count. */
  private awaitReply(): void {
    this.lossTimer.unsubscribe()
    this.lossTimer = responsiveDeadline(this.context.clock, replyTime, () =>
      this.end(noCloseFrame, 'the gateway does not answer'),
    )
  }

  private renew(isPing: boolean): void {
    if (!this.isOpen) return
    const { number, since } = this.renewals.next(isPing, this.context.clock.elapsed())
    const requests = this.updates?.requests ?? 0
    this.publish({ type: 'renew', session: this.session, number, since, requests })
  }

  private publish(message: GatewayMessage): void {
    const { connection, gateway, inbox: reply } = this
    if (connection === undefined) return
    publish(connection, this.context.subjects.gateway(gateway), encodeGatewayMessage(message), reply)
  }

  private onMessage(message: Msg): void {
    if (this.isEnded) return
    if (isUndelivered(message)) return this.end(noCloseFrame, 'the gateway has left NATS')
    const decoded = decodeConsumerMessage(message.string())
    if (isRight(decoded)) this.handle(decoded.right)
    else this.end(noCloseFrame, `invalid message of the gateway: ${decoded.left.message}`)
  }

  private handle(message: ConsumerMessage): void {
    switch (message.type) {
      case 'opened':
        return this.onOpened(message)
      case 'renewed':
        return this.onRenewed(message)
      case 'confirmed':
        return this.updates?.onConfirmed(message)
      case 'rejected':
        return this.updates?.onRejected(message)
      case 'closed':
        return this.end(message.code, message.reason)
      case 'ready':
      case 'down':
      case 'response':
        return
      default:
        return assertNever(message)
    }
  }

  private onOpened({ time }: ConsumerMessageOf<'opened'>): void {
    if (this.isOpen) return
    this.onReply(0, time)
    this.isOpen = true
    this.context.followed.follow(this.gateway)
    this.listener.opened()
  }

  private onRenewed(reply: ConsumerMessageOf<'renewed'>): void {
    const isPong = this.onReply(reply.number, reply.time)
    this.renewals.onRenewed(reply)
    this.updates?.onSequences(reply.sequences)
    if (this.isEnded) return
    if (isPong) this.listener.pong?.()
    else this.listener.alive()
  }

  /** Returns true if the reply is to a ping. */
  private onReply(number: number, time: number): boolean {
    const now = this.context.clock.elapsed()
    const sent = this.renewals.onReply(number)
    if (sent === undefined) return false
    this.lag.onRoundTrip(sent.at, now, time)
    this.measuredAt = sent.at
    this.awaitReply()
    return sent.isPing
  }

  private end(code: number, reason: string): void {
    if (this.isEnded) return
    this.isEnded = true
    if (this.gateway !== '') this.publish({ type: 'close', session: this.session })
    this.updates?.close()
    this.lossTimer.unsubscribe()
    this.resources.unsubscribe()
    this.onEnd(this)
    this.context.followed.lose(this.gateway)
    this.listener.closed(code, reason)
  }
}
