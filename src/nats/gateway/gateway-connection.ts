import { nuid, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { decodeGatewayMessage, type GatewayMessageOf } from '../../codec/nats/messages.js'
import type { UpstreamTopics } from '../../gateway/demand/upstream-topics.js'
import { depthMintOf, priceTopicOf } from '../../server/request.js'
import type { Relay } from '../../gateway/relay/relay.js'
import type { Requester } from '../../gateway/relay/request-queue.js'
import { textResponse, type TextResponse } from '../../server/http-response.js'
import { completedTask, type CancellableTask } from '../../task/cancellable-task.js'
import type { Clock } from '../../time/clock.js'
import { delay } from '../../time/deadline.js'
import { protocolVersion, type Subjects } from '../subjects.js'
import type { PriceClock } from './price-clock.js'
import { Publisher } from './publisher.js'
import type { SentBytes } from './sent-bytes.js'
import { Sessions, type CloseCause, type SessionsConfig } from './sessions.js'

export interface GatewayConnectionConfig extends Omit<SessionsConfig, 'demand' | 'publisher' | 'elapsed'> {
  readonly clock: Clock
  readonly subjects: Subjects
  readonly priceClock: PriceClock
  readonly topics: UpstreamTopics<string>
  readonly depth: Relay
  readonly price: Relay
  readonly sent: SentBytes
}

/** The time between two looks at the leases, in ms. */
const lookTime = 250

/** A gateway without sessions answers discovery requests later than one that has some, in ms. */
const standbyTime = 50

/** The lag of prices above which a gateway does not offer itself: it was stopped and has to catch up. In ms. */
const maxLateMs = 250

/** The maximum size of a message of a consumer, in bytes. It contains a topic of at most 256 characters, or a path. */
const maxMessageBytes = 4_096

const payloadTooLarge = 413

/** The time that a consumer of an earlier version waits for a response, and the longest one of any consumer, in ms. */
const defaultRequestTime = 5_000
const maxRequestTime = 60_000

/** The maximum length of the identifier of a consumer. That of the library has 22 characters. */
const maxConsumerLength = 64

/**
 * A gateway on one connection to NATS. Each connection has an identifier of its own, so that nothing of an earlier one is
 * taken for current.
 */
export class GatewayConnection {
  readonly sessions: Sessions
  private readonly id = nuid.next()
  private readonly publisher: Publisher
  private readonly resources = new Subscription()
  /** The requests without a response, by the subject of their response. */
  private readonly requests = new Map<string, Subscription>()

  constructor(
    private readonly connection: NatsConnection,
    private readonly config: GatewayConnectionConfig,
  ) {
    const { clock, subjects, priceClock, topics, sent } = config
    this.publisher = new Publisher(connection, this.id, subjects, priceClock, sent)
    this.sessions = new Sessions({
      ...config,
      demand: topics.demand,
      publisher: this.publisher,
      elapsed: clock.elapsed,
    })
    this.subscribe(subjects.gateways, (message) => this.onDiscovery(message))
    this.subscribe(subjects.gateway(this.id), (message) => this.onMessage(message))
    this.resources.add(clock.startInterval(() => this.sessions.endExpired(), lookTime))
  }

  /** Ends all sessions and tells their consumers, if the connection is open. */
  close(cause: CloseCause, reason: string): void {
    this.sessions.close(cause, reason)
    this.resources.unsubscribe()
  }

  private subscribe(subject: string, onMessage: (message: Msg) => void): void {
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null && message.reply !== undefined && this.config.subjects.isInbox(message.reply))
          onMessage(message)
      },
    })
    this.resources.add(() => subscription.unsubscribe())
  }

  private onDiscovery({ reply = '' }: Msg): void {
    const { clock, topics, priceClock } = this.config
    const { upstream } = topics
    if (!upstream.isUp) {
      const reason = `the service is down: ${upstream.downReason}`
      return void this.publisher.reply(reply, { type: 'down', reason })
    }
    if (priceClock.lateMs() > maxLateMs) {
      return void this.publisher.reply(reply, {
        type: 'down',
        reason: 'the gateway was stopped and has to catch up',
      })
    }
    const pending = this.addPending()
    const answer = (): void => {
      pending.unsubscribe()
      this.publisher.reply(reply, { type: 'ready', gateway: this.id, version: protocolVersion })
    }
    if (this.sessions.size > 0) answer()
    else pending.add(delay(clock, standbyTime, answer))
  }

  private onMessage(message: Msg): void {
    const { reply = '' } = message
    if (message.data.length > maxMessageBytes) return this.refuse(reply)
    const decoded = decodeGatewayMessage(message.string())
    // Nothing is known of who sent it.
    if (isLeft(decoded)) return
    const received = decoded.right
    if (received.type === 'open') this.sessions.open(received.session, reply)
    else if (received.type === 'get') this.respond(received, reply)
    else if (received.type === 'cancel') this.requests.get(reply)?.unsubscribe()
    else this.sessions.handle(received, reply)
  }

  /** Without decoding: a consumer could keep the gateway from reading the messages of others. */
  private refuse(reply: string): void {
    const body = `Payload Too Large: at most ${maxMessageBytes} bytes are allowed`
    this.publisher.reply(reply, { type: 'response', status: payloadTooLarge, headers: {}, body, lateMs: 0 })
  }

  /** A response to a consumer that has left or does not wait any longer is not requested from the service. */
  private respond(request: GatewayMessageOf<'get'>, inbox: string): void {
    if (this.requests.has(inbox)) return
    const { clock, priceClock } = this.config
    const { path, timeout = defaultRequestTime } = request
    // The message may have waited while the process was stopped.
    const remaining = Math.min(timeout, maxRequestTime) - priceClock.lateMs()
    if (remaining <= 0) return
    const pending = this.addPending()
    this.requests.set(inbox, pending)
    pending.add(() => this.requests.delete(inbox))
    const send = ({ status, headers, body }: TextResponse): void => {
      pending.unsubscribe()
      const lateMs = Math.ceil(priceClock.lateMs())
      this.publisher.reply(inbox, { type: 'response', status, headers: lowerCased(headers), body, lateMs })
    }
    pending.add(delay(clock, remaining, () => pending.unsubscribe()))
    pending.add(this.responseTo(path, requesterOf(request, inbox))(send))
  }

  /** What is under way, until it is unsubscribed or the gateway closes. */
  private addPending(): Subscription {
    const pending = new Subscription()
    this.resources.add(pending)
    return pending
  }

  private responseTo(pathAndQuery: string, requester: Requester): CancellableTask<TextResponse> {
    const [path = ''] = pathAndQuery.split('?')
    const mint = depthMintOf(path)
    const topic = priceTopicOf(path)
    if (mint !== undefined) return this.config.depth.respond(mint, requester)
    if (topic !== undefined) return this.config.price.respond(topic, requester)
    return completedTask(textResponse(404, 'Not Found'))
  }
}

/** The inboxes of one user have one prefix. The identifier of a consumer may be forged, but not that of another user. */
const requesterOf = ({ consumer = '' }: GatewayMessageOf<'get'>, inbox: string): Requester => ({
  consumer: consumer.slice(0, maxConsumerLength),
  group: inbox.slice(0, inbox.lastIndexOf('.')),
})

const lowerCased = (headers: TextResponse['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
