import { nuid, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { decodeGatewayMessage, type GatewayMessageOf, type SessionMessage } from '../codec/messages.js'
import type { PriceFeed } from '../../client/price-feed.js'
import type { GatewayDisconnectCause } from '../../base/diagnostics/messages.js'
import { canonicalAddress } from '../../base/domain/address.js'
import { assertNever } from '../../base/domain/assert-never.js'
import { addressOf } from '../../base/domain/topic.js'
import type { Relays } from '../../gateway/coalescing/relays.js'
import type { Requester } from '../../gateway/coalescing/request-queue.js'
import { tryAgainLater, type EndCause, type Sessions } from '../../gateway/subscriptions/sessions.js'
import { resourceOf, withoutQuery } from '../../gateway/server/request.js'
import { notFound, type TextResponse } from '../../gateway/server/http-response.js'
import { completedTask } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import { protocolVersion, type Subjects } from '../subjects.js'
import { AgeProofs } from './age-proofs.js'
import { Lease, leaseCheckInterval } from './lease.js'
import { tryInterval, type Permissions } from './permissions.js'
import type { PriceClock } from './price-clock.js'
import { heartbeatCheckTime, Publisher, type SentBytes } from './publisher.js'

export interface GatewayConnectionConfig {
  readonly clock: Clock
  readonly subjects: Subjects
  readonly permissions: Pick<Permissions, 'check'>
  readonly priceClock: PriceClock
  readonly feed: PriceFeed
  readonly sessions: Sessions<Lease>
  readonly relays: Relays
  readonly sent: SentBytes
}

/** The delay with which a gateway without sessions answers discovery requests, in ms. */
const standbyTime = 50

/** The lag of prices above which a gateway does not answer discovery requests, because it was stopped. In ms. */
const maxLateMs = 250

/** The maximum size of a message of a consumer, in bytes. It contains a topic of at most 256 characters, or a path. */
const maxMessageBytes = 4_096

const payloadTooLarge = 413

/** The status with which a gateway over WebSockets refuses a consumer when it is full. NATS has no statuses. */
const fullStatus = 503

/** The time that a consumer of an earlier version waits for a response, and the maximum for any consumer, in ms. */
const defaultRequestTime = 5_000
const maxRequestTime = 60_000

/** The maximum length of the identifier of a consumer. The library's identifiers have 22 characters. */
const maxConsumerLength = 64

/**
 * A gateway on one connection to NATS. Each connection has its own identifier, so that data of an earlier connection
 * are not used as current.
 */
export class GatewayConnection {
  readonly publisher: Publisher
  private readonly proofs: AgeProofs
  private readonly id = nuid.next()
  private readonly leases = new Map<string, Lease>()
  private readonly resources = new Subscription()
  /** The requests without a response, by the subject of their response. */
  private readonly requests = new Map<string, Subscription>()

  constructor(
    private readonly connection: NatsConnection,
    private readonly config: GatewayConnectionConfig,
  ) {
    const { clock, subjects, priceClock, sent } = config
    this.publisher = new Publisher(connection, this.id, subjects, priceClock, sent)
    const publishProof = (time: number): void => this.publisher.publishProof(time, config.feed.isBounded())
    this.proofs = new AgeProofs({ ...config, leases: this.leases, publish: publishProof })
    this.resources.add(() => this.proofs.close())
    this.subscribe(subjects.gateways, (message) => this.onDiscovery(message))
    this.subscribe(subjects.gateway(this.id), (message) => this.onMessage(message))
    this.resources.add(clock.startInterval(() => this.endExpired(), leaseCheckInterval))
    this.resources.add(clock.startInterval(() => this.publisher.publishHeartbeats(), heartbeatCheckTime))
    // Proves nothing to a consumer, and shows whether the gateway may publish.
    const tryToPublish = (): void => publishProof(0)
    tryToPublish()
    this.resources.add(clock.startInterval(tryToPublish, tryInterval))
    this.resources.add(clock.startInterval(() => config.permissions.check(), tryInterval))
  }

  /** Drops all requests, and ends the subscriptions. */
  close(): void {
    this.resources.unsubscribe()
  }

  private subscribe(subject: string, onMessage: (message: Msg) => void): void {
    const pending = this.addPending()
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) {
          pending.unsubscribe()
          this.subscribeLater(subject, onMessage)
        } else if (message.reply !== undefined && this.config.subjects.isInbox(message.reply))
          onMessage(message)
      },
    })
    pending.add(() => subscription.unsubscribe())
  }

  /** The server has refused a subscription, which the NATS client ends. */
  private subscribeLater(subject: string, onMessage: (message: Msg) => void): void {
    const pending = this.addPending()
    pending.add(
      delay(this.config.clock, tryInterval, () => {
        pending.unsubscribe()
        this.subscribe(subject, onMessage)
      }),
    )
  }

  private onDiscovery({ reply = '' }: Msg): void {
    const { clock, sessions, priceClock } = this.config
    const isLate = priceClock.lateMs() > maxLateMs
    const reason =
      sessions.upstream.downText ?? (isLate ? 'the gateway was stopped and has to catch up' : undefined)
    if (reason !== undefined) return void this.publisher.reply(reply, { type: 'down', reason })
    const pending = this.addPending()
    const answer = (): void => {
      pending.unsubscribe()
      this.publisher.reply(reply, { type: 'ready', gateway: this.id, version: protocolVersion })
    }
    if (this.leases.size > 0) answer()
    else pending.add(delay(clock, standbyTime, answer))
  }

  private onMessage(message: Msg): void {
    const { reply = '' } = message
    if (message.data.length > maxMessageBytes) return this.refuse(reply)
    const decoded = decodeGatewayMessage(message.string())
    // The sender of the message is unknown.
    if (isLeft(decoded)) return
    const received = decoded.right
    if (received.type === 'open') this.open(received, reply)
    else if (received.type === 'get') this.respond(received, reply)
    else if (received.type === 'cancel') this.requests.get(reply)?.unsubscribe()
    else this.handle(received, reply)
  }

  /** The message is not decoded: otherwise a consumer could delay the messages of other consumers. */
  private refuse(reply: string): void {
    const body = `Payload Too Large: at most ${maxMessageBytes} bytes are allowed`
    this.publisher.reply(reply, { type: 'response', status: payloadTooLarge, headers: {}, body, lateMs: 0 })
  }

  private open({ session: id, maxLag = Infinity }: GatewayMessageOf<'open'>, inbox: string): void {
    const { sessions, clock, feed } = this.config
    const known = this.leases.get(id)
    if (known !== undefined) return known.open(clock.elapsed())
    const { fullReason } = sessions
    if (fullReason !== undefined) {
      this.publisher.reply(inbox, { type: 'closed', code: tryAgainLater, reason: fullReason })
      return sessions.onRefused(fullStatus)
    }
    const onEnd = (ended: Lease, cause: EndCause): void => this.remove(ended, cause)
    const lease = new Lease(id, maxLag, feed.requestProbe, inbox, this.publisher, onEnd)
    this.leases.set(id, lease)
    sessions.onOpened(lease)
    lease.open(clock.elapsed())
    this.proofs.start()
  }

  /** Handles a message of a session. `inbox`: the subject for the answer if the session has ended. */
  private handle(message: SessionMessage, inbox: string): void {
    const lease = this.leases.get(message.session)
    if (lease === undefined) {
      if (message.type !== 'renew') return
      const reason = 'the session has ended'
      return void this.publisher.reply(inbox, { type: 'closed', code: tryAgainLater, reason })
    }
    switch (message.type) {
      case 'renew':
        if (lease.isMissing(message.requests)) return endIncomplete(lease)
        return lease.renew(message, this.config.clock.elapsed())
      case 'subscribe':
      case 'unsubscribe':
        return this.onRequest(lease, message)
      case 'close':
        return this.remove(lease, 'consumer')
      default:
        return assertNever(message)
    }
  }

  private onRequest(
    lease: Lease,
    { type, topic: text, number }: GatewayMessageOf<'subscribe' | 'unsubscribe'>,
  ): void {
    const { sessions } = this.config
    const verdict = lease.onRequest(number)
    if (verdict === 'gap') return endIncomplete(lease)
    if (verdict === 'repeated') return
    const topic = sessions.topicOf(text)
    if (type === 'unsubscribe') {
      const left = isRight(topic) ? sessions.unsubscribe(lease, topic.right) : undefined
      if (left !== undefined) lease.onRemoved(left)
      return
    }
    if (isLeft(topic)) return lease.reject({ base: '0x' }, `Invalid request: ${topic.left}`)
    const base = canonicalAddress(addressOf(topic.right))
    lease.onSubscribe(base)
    const subscribed = sessions.subscribe(lease, topic.right)
    if (isLeft(subscribed)) return lease.reject({ base }, subscribed.left)
    const { feed, isFirst } = subscribed.right
    if (isFirst) this.publisher.startTopic(feed)
    if (feed.isConfirmed) lease.confirm(feed)
    feed.start()
  }

  private endExpired(): void {
    for (const lease of [...this.leases.values()]) if (lease.check()) this.remove(lease, 'no-renewal')
  }

  private remove(lease: Lease, cause: GatewayDisconnectCause): void {
    const { sessions, sent } = this.config
    const { bytes } = sent
    sent.bytes = 0
    this.leases.delete(lease.id)
    sessions.onEnded(lease, cause, bytes)
  }

  /** If the consumer has left or no longer waits, nothing is requested from the service. */
  private respond(request: GatewayMessageOf<'get'>, inbox: string): void {
    if (this.requests.has(inbox)) return
    const { clock, priceClock, relays } = this.config
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
    const resource = resourceOf(withoutQuery(path))
    const response =
      resource === undefined ? completedTask(notFound) : relays.respond(resource, requesterOf(request, inbox))
    pending.add(response(send))
  }

  /** The running work, until it is unsubscribed or the gateway closes. */
  private addPending(): Subscription {
    const pending = new Subscription()
    this.resources.add(pending)
    return pending
  }
}

/** A message of the consumer is lost, so its topics are unknown. The consumer opens another session. */
const endIncomplete = (lease: Lease): void => lease.end('message-lost', 'a message of the consumer is lost')

/** The inboxes of one user have one prefix. A consumer can forge an identifier, but not the prefix of another user. */
const requesterOf = ({ consumer = '' }: GatewayMessageOf<'get'>, inbox: string): Requester => ({
  consumer: consumer.slice(0, maxConsumerLength),
  group: inbox.slice(0, inbox.lastIndexOf('.')),
})

const lowerCased = (headers: TextResponse['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
