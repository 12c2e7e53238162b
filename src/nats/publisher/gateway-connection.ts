import { nuid, type Msg, type NatsConnection } from '@nats-io/transport-node'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { GatewayDisconnectCause } from '../../base/diagnostics/messages.js'
import { canonicalAddress, addressOf } from '../../base/domain/topic.js'
import { completedTask } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/timers.js'
import type { PriceFeed } from '../../client/price-feed.js'
import type { Relays } from '../../gateway/coalescing/relays.js'
import { notFound, textResponse, type TextResponse } from '../../gateway/server/http-response.js'
import type { Report } from '../../gateway/server/report.js'
import { resourceOf, withoutQuery } from '../../gateway/server/request.js'
import { tryAgainLater, type Sessions } from '../../gateway/subscriptions/sessions.js'
import {
  decodeGatewayMessage,
  type ConsumerMessageOf,
  type GatewayMessage,
  type GatewayMessageOf,
} from '../codec/messages.js'
import { protocolVersion, type Subjects } from '../subjects.js'
import { AgeProofs } from './age-proofs.js'
import { Lease, leaseCheckInterval } from './lease.js'
import type { PriceClock } from './price-clock.js'
import { heartbeatCheckTime, Publisher } from './publisher.js'

export interface GatewayConnectionConfig {
  readonly clock: Clock
  readonly subjects: Subjects
  readonly priceClock: PriceClock
  readonly feed: PriceFeed
  readonly sessions: Sessions<Lease>
  readonly relays: Relays
  readonly report: Report
  /** Called before the gateway tries again what the server may refuse. */
  readonly onTry: () => void
}

/** The interval at which a gateway tries what the server may refuse, in ms. */
const tryInterval = 5_000

/** The delay with which a gateway without sessions answers discovery requests, in ms. */
const standbyTime = 50

/** The lag of prices above which a gateway does not answer discovery requests, because it was stopped. In ms. */
const maxLateMs = 250

/** The maximum size of a message of a consumer, in bytes. It contains a topic of at most 256 characters, or a path. */
const maxMessageBytes = 4_096

/** The status with which a gateway over WebSockets refuses a consumer when it is full. NATS has no statuses. */
const fullStatus = 503

/** The maximum time that a consumer waits for a response, in ms. */
const maxRequestTime = 60_000

/** A gateway on one connection to NATS, with an identifier of its own: data of an earlier connection are not current. */
export class GatewayConnection {
  readonly publisher: Publisher
  private readonly proofs: AgeProofs
  private readonly id = nuid.next()
  private readonly leases = new Map<string, Lease>()
  private readonly resources = new Subscription()
  /** The requests without a response, by the subject of their response. */
  private readonly requests = new Map<string, Subscription>()
  /** The subscriptions that the server has refused. */
  private readonly refused: (() => void)[] = []

  constructor(
    private readonly connection: NatsConnection,
    private readonly config: GatewayConnectionConfig,
  ) {
    const { clock, subjects, priceClock, feed } = config
    this.publisher = new Publisher(connection, this.id, subjects, priceClock)
    const publishProof = (time: number): void => this.publisher.publishProof(time, feed.isBounded())
    this.proofs = new AgeProofs(clock, priceClock, feed, this.leases, publishProof)
    this.resources.add(() => this.proofs.close())
    this.subscribe(subjects.gateways, (message) => this.onDiscovery(message))
    this.subscribe(subjects.gateway(this.id), (message) => this.onMessage(message))
    this.resources.add(clock.startInterval(() => this.endExpired(), leaseCheckInterval))
    this.resources.add(clock.startInterval(() => this.publisher.publishHeartbeats(), heartbeatCheckTime))
    const tryAgain = (): void => {
      for (const subscribe of this.refused.splice(0)) subscribe()
      // Proves nothing to a consumer, and shows whether the gateway may publish.
      publishProof(0)
    }
    tryAgain()
    this.resources.add(clock.startInterval(config.onTry, tryInterval))
    this.resources.add(clock.startInterval(tryAgain, tryInterval))
  }

  close(): void {
    this.resources.unsubscribe()
  }

  private subscribe(subject: string, onMessage: (message: Msg) => void): void {
    const subscription = this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) this.refused.push(() => this.subscribe(subject, onMessage))
        else if (message.reply !== undefined && this.config.subjects.isInbox(message.reply))
          onMessage(message)
      },
    })
    this.resources.add(() => subscription.unsubscribe())
  }

  private onDiscovery({ reply = '' }: Msg): void {
    const { clock, sessions, priceClock } = this.config
    const isLate = priceClock.lateMs() > maxLateMs
    const reason =
      sessions.upstream.downText ?? (isLate ? 'the gateway was stopped and has to catch up' : undefined)
    if (reason !== undefined) return this.publisher.send(reply, { type: 'down', reason })
    const pending = this.addPending()
    const answer = (): void => {
      pending.unsubscribe()
      this.publisher.send(reply, { type: 'ready', gateway: this.id, version: protocolVersion })
    }
    if (this.leases.size > 0) answer()
    else pending.add(delay(clock, standbyTime, answer))
  }

  private onMessage(message: Msg): void {
    const { reply = '' } = message
    // Not decoded: otherwise a consumer could delay the messages of other consumers.
    if (message.data.length > maxMessageBytes) {
      const text = `Payload Too Large: at most ${maxMessageBytes} bytes are allowed`
      return this.publisher.send(reply, responseOf(textResponse(413, text), 0))
    }
    const decoded = decodeGatewayMessage(message.string())
    // The sender of the message is unknown.
    if (isRight(decoded)) this.handle(decoded.right, reply)
  }

  /** `inbox`: the subject for an answer. */
  private handle(message: GatewayMessage, inbox: string): void {
    if (message.type === 'open') return this.open(message, inbox)
    if (message.type === 'get') return this.respond(message, inbox)
    if (message.type === 'cancel') return this.requests.get(inbox)?.unsubscribe()
    const lease = this.leases.get(message.session)
    if (lease === undefined) {
      if (message.type === 'renew') this.refuse(inbox, 'the session has ended')
      return
    }
    if (message.type === 'close') return this.remove(lease, 'consumer')
    const isRenewal = message.type === 'renew'
    const isComplete = isRenewal
      ? lease.renew(message, this.config.clock.elapsed())
      : lease.onRequest(message.number)
    // Its topics are unknown. The consumer opens another session.
    if (!isComplete) lease.end('message-lost', 'a message of the consumer is lost')
    else if (!isRenewal) this.onRequest(lease, message)
  }

  private open({ session: id, maxLag = Infinity }: GatewayMessageOf<'open'>, inbox: string): void {
    const { sessions, clock, feed, report } = this.config
    if (this.leases.has(id)) return
    const { fullReason } = sessions
    if (fullReason !== undefined) {
      this.refuse(inbox, fullReason)
      return report('svc-streams:gateway-refused', { status: fullStatus })
    }
    const lease = new Lease(id, maxLag, feed.requestProbe, inbox, this.publisher, (ended, cause) =>
      this.remove(ended, cause),
    )
    this.leases.set(id, lease)
    sessions.onOpened(lease)
    this.publisher.send(inbox, { type: 'opened', time: clock.elapsed() })
    this.proofs.start()
  }

  private refuse(inbox: string, reason: string): void {
    this.publisher.send(inbox, { type: 'closed', code: tryAgainLater, reason })
  }

  private onRequest(lease: Lease, request: GatewayMessageOf<'subscribe' | 'unsubscribe'>): void {
    const { sessions } = this.config
    const topic = sessions.topicOf(request.topic)
    if (request.type === 'unsubscribe') {
      const left = isRight(topic) ? sessions.unsubscribe(lease, topic.right) : undefined
      if (left !== undefined) lease.onRemoved(left)
      return
    }
    if (isLeft(topic)) return lease.reject({ base: '0x' }, `Invalid request: ${topic.left}`)
    const base = canonicalAddress(addressOf(topic.right))
    lease.onSubscribe(base)
    const subscribed = sessions.subscribe(lease, topic.right)
    if (isLeft(subscribed)) return lease.reject({ base }, subscribed.left)
    const { feed, isRepeated } = subscribed.right
    if (!isRepeated && feed.consumers.size === 1) this.publisher.startTopic(feed)
    if (feed.isConfirmed) lease.confirm(feed)
    feed.start()
  }

  private endExpired(): void {
    for (const lease of [...this.leases.values()]) if (lease.check()) this.remove(lease, 'no-renewal')
  }

  private remove(lease: Lease, cause: GatewayDisconnectCause): void {
    const { sentBytes } = this.publisher
    this.publisher.sentBytes = 0
    this.leases.delete(lease.id)
    this.config.sessions.onEnded(lease, cause, sentBytes)
  }

  /** If the consumer has left or no longer waits, nothing is requested from the service. */
  private respond({ path, consumer, timeout }: GatewayMessageOf<'get'>, inbox: string): void {
    if (this.requests.has(inbox)) return
    const { clock, priceClock, relays } = this.config
    // The message may have waited while the process was stopped.
    const remaining = Math.min(timeout, maxRequestTime) - priceClock.lateMs()
    if (remaining <= 0) return
    const pending = this.addPending()
    this.requests.set(inbox, pending)
    pending.add(() => this.requests.delete(inbox))
    pending.add(delay(clock, remaining, () => pending.unsubscribe()))
    // The inboxes of one user have one prefix. A consumer can forge an identifier, but not the prefix of another user.
    const requester = { consumer, group: inbox.slice(0, inbox.lastIndexOf('.')) }
    const resource = resourceOf(withoutQuery(path))
    const response = resource === undefined ? completedTask(notFound) : relays.respond(resource, requester)
    const onResponse = (result: TextResponse): void => {
      pending.unsubscribe()
      this.publisher.send(inbox, responseOf(result, Math.ceil(priceClock.lateMs())))
    }
    pending.add(response(onResponse))
  }

  /** The running work, until it is unsubscribed or the gateway closes. */
  private addPending(): Subscription {
    const pending = new Subscription()
    this.resources.add(pending)
    return pending
  }
}

const responseOf = (
  { status, headers, body }: TextResponse,
  lateMs: number,
): ConsumerMessageOf<'response'> => {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { type: 'response', status, headers: Object.fromEntries(entries), body, lateMs }
}
