import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { Price, PriceClient, PriceError, Topic } from 'svc-streams'
import { assertNever } from '../../../src/base/domain/assert-never.js'
import type { ManualTransportOptions, ManualSocket, ManualTransport } from '../../support/manual-transport.js'

// A model of a client's guarantees, independent of the implementation: which topics are requested on the open
// connection, the time of each topic's last activity, and which events each subscriber must receive, and when.

export const clientOptions = {
  staleAfter: 400,
  confirmTimeout: 200,
  connectTimeout: 300,
  pingInterval: 500,
  pongTimeout: 250,
  reconnect: { initialDelay: 20, maxDelay: 160, stableAfter: 300 },
}

/** The shortest timer of the virtual time, in ms. A deadline that is set at its own time is late by it. */
const timerMs = 0.01

/** From this number of unsent bytes the client sends no frames. */
const fullBytes = 32_768

/** Two frames fill the buffer of a socket. */
const bytesPerFrame = 20_000

/** Base addresses that are prefixes of one another. */
export const bases = ['0xa', '0xaa', '0xab', '0xb'] as const

type Base = (typeof bases)[number]
type Event = Either<PriceError, Price>

export type Behaviour = 'stays subscribed' | 'unsubscribes on the first event' | 'throws'

interface ModelSubscriber {
  readonly base: Base
  readonly topic: Topic
  readonly behaviour: Behaviour
  subscription: Subscription | undefined
  active: boolean
  completed: boolean
  readonly events: Event[]
  readonly subscribedAt: number
  /** The id of each failure for which it received `Disconnected`. */
  readonly failures: Set<number>
  /** The time of the last activity before each `Stale` that it received. */
  readonly stales: Set<number>
  /** The time of the subscribe frame for each `SubscriptionTimeout` that it received. */
  readonly timeouts: Set<number>
}

/** A topic that the client requested on the open connection. Times are in ms. */
interface RequestedTopic {
  subscribeSentAt: number
  /** Time of the last confirmation or price, if there is one. */
  lastActivityAt: number | undefined
  lastPrice: number | undefined
}

/** A topic that the client unsubscribed on the open connection. Times are in ms. */
interface UnsubscribedTopic {
  readonly unsubscribedAt: number
  /** Until when the service may answer each of its subscribe frames, the oldest first. */
  acksUntil: readonly number[]
}

/** A subscribe frame that the service has not answered. */
interface PendingFrame {
  readonly base: Base
  /** True if the topic was unsubscribed after it. */
  hasLeft: boolean
}

type FrameKind = 'price' | 'rejection' | 'other'

interface Failure {
  readonly id: number
  readonly code: number
  readonly attempt: number
  readonly retryInMs: number
  readonly retryAt: number
}

export class Model {
  readonly violations: string[] = []
  /** The number of events of each tag, and of uncorrelated errors. */
  readonly counts = new Map<string, number>()
  readonly subscribers: ModelSubscriber[] = []
  private requested = new Map<Base, RequestedTopic>()
  private everRequested = new Set<Base>()
  private unsubscribed = new Map<Base, UnsubscribedTopic>()
  /** The topics that were rejected or unsubscribed on the open connection. */
  private removed = new Set<Base>()
  /** The topics that the service lists or prices and the client has not requested, since when. */
  private orphans = new Map<Base, number>()
  /** Since when each topic has had no subscribers. */
  private readonly idleSince = new Map<Base, number>()
  /** The oldest first. */
  private pending: PendingFrame[] = []
  private readonly sentAt: number[] = []
  private socket: ManualSocket | undefined
  private epoch = 0
  private openedAt: number | undefined
  private failuresInARow = 0
  private failureCount = 0
  /** The last failure, if no connection opened since. */
  private failure: Failure | undefined
  /** The failure of each topic that its subscribers have received since its last price. */
  private readonly topicFailures = new Map<Base, Failure>()
  /** True if the client had subscribers at the last check, so that it keeps a connection or a retry. */
  private keepsConnection = false
  private closed = false
  private uncorrelated = 0
  /** True while a subscriber is being added: its initial event has no causing frame. */
  private isSubscribing = false
  /** The frame that the client is handling: only events that it causes may be emitted. */
  private currentFrame: { readonly base: Base | undefined; readonly kind: FrameKind } | undefined
  /** True at the end of a scenario: the service accepts every dial and confirms every topic. */
  private isServiceReliable = false
  private ignoresPingsNow = false
  /** True if the service ignored pings at any time on the open connection. */
  private hasIgnoredPings = false
  /** Since when the buffer of the open connection has been full. */
  private fullSince: number | undefined
  /** When that buffer was last full. */
  private fullUntil = -Infinity
  /** Since when no unsent byte has been written; `undefined` while there are none. */
  private undrainedSince: number | undefined

  constructor(
    private readonly now: () => number,
    private readonly after: (ms: number, callback: () => void) => void,
    private readonly linger: number,
    private readonly framesPerSecond: number,
  ) {}

  get transportOptions(): ManualTransportOptions {
    return {
      onDial: (socket) => this.onDial(socket),
      onSend: (socket, frame) => this.onFrame(socket, frame),
      onEnd: (_socket, how) => this.onEnded(how),
      answersPings: () => !this.ignoresPingsNow,
      bytesPerFrame,
    }
  }

  countUncorrelatedErrors(client: PriceClient): void {
    client.errors$.subscribe(() => this.uncorrelated++)
  }

  // Actions of users.

  subscribe(client: PriceClient, base: Base, upper: boolean, behaviour: Behaviour): void {
    const topic: Topic = `svc-0x${upper ? base.slice(2).toUpperCase() : base.slice(2)}`
    const sets = { failures: new Set<number>(), stales: new Set<number>(), timeouts: new Set<number>() }
    const subscriber: ModelSubscriber = {
      ...{ base, topic, behaviour, ...sets },
      ...{ subscription: undefined, active: true, completed: false, events: [], subscribedAt: this.now() },
    }
    const expected = this.expectedInitialEvent(base)
    this.subscribers.push(subscriber)
    this.isSubscribing = true
    subscriber.subscription = client.price$(topic).subscribe({
      next: (event) => this.onEvent(subscriber, event),
      complete: () => this.onComplete(subscriber),
      error: (thrown) => this.addViolation(`price$ emitted an Rx error: ${String(thrown)}`),
    })
    this.isSubscribing = false
    const received = subscriber.events.map(tagOf).join()
    if (received !== expected)
      this.addViolation(`initial event of ${topic}: "${received}", expected "${expected}"`)
    if (!subscriber.active) this.unsubscribe(subscriber)
  }

  unsubscribe(subscriber: ModelSubscriber): void {
    subscriber.active = false
    subscriber.subscription?.unsubscribe()
    this.onLeft(subscriber.base)
  }

  /** A topic without subscribers is removed at once if it is not requested. */
  private onLeft(base: Base): void {
    if (this.activeSubscribersOf(base).length === 0 && !this.requested.has(base))
      this.topicFailures.delete(base)
  }

  close(client: PriceClient): void {
    this.closed = true
    const open = this.subscribers.filter(({ active }) => active)
    void client.close()
    for (const { completed, topic } of open)
      if (!completed) this.addViolation(`${topic} was not completed by close()`)
  }

  // Actions of the service. Each has no effect if it is impossible in the current state.

  openSockets(transport: ManualTransport): void {
    for (const socket of transport.activeSockets) this.open(socket)
  }

  dropConnection(transport: ManualTransport, code: number): void {
    const socket = transport.activeSockets[0]
    if (socket === undefined) return
    this.onFailure(code)
    socket.drop(code, 'dropped by the test')
    this.checkDisconnected()
  }

  ignorePings(ignoresPings: boolean): void {
    this.ignoresPingsNow = ignoresPings
    this.hasIgnoredPings ||= ignoresPings
  }

  stopReading(): void {
    if (this.socket !== undefined) this.socket.isRead = false
  }

  drain(bytes: number): void {
    this.socket?.drain(bytes)
    this.undrainedSince = undefined
    this.updateBuffer()
  }

  answerSubscribe(style: 'all' | 'new' | 'none'): void {
    const answered = this.pending.shift()
    if (answered === undefined || this.socket === undefined || style === 'none') return
    const { base } = answered
    if (this.isAmbiguous(answered)) return
    const confirmed = [...this.requested]
      .filter(([, { lastActivityAt }]) => lastActivityAt !== undefined)
      .map(([one]) => one)
    const requested = this.requested.get(base)
    if (requested !== undefined) requested.lastActivityAt ??= this.now()
    this.undrainedSince = undefined
    const listed = style === 'all' ? [...confirmed, base] : [base]
    for (const one of listed) if (!this.requested.has(one)) this.addOrphan(one)
    // A confirmation answers all subscribe frames of a listed topic, including earlier ones.
    for (const one of listed) this.clearPendingAck(one)
    const topics = listed.map((one) => `svc-${one}-0xffff`)
    this.sendFrame(undefined, 'other', 0, () => this.socket?.deliverConfirmation(...topics))
  }

  sendPrice(base: Base, price: number): void {
    if (this.socket === undefined) return
    const requested = this.requested.get(base)
    const unsubscribed = this.unsubscribed.get(base)
    const isLate =
      unsubscribed !== undefined && this.now() - unsubscribed.unsubscribedAt < clientOptions.confirmTimeout
    if (requested !== undefined) {
      this.undrainedSince = undefined
      requested.lastActivityAt = this.now()
      requested.lastPrice = price
      this.topicFailures.delete(base)
    } else if (this.removed.has(base)) this.addOrphan(base)
    const receivers = requested === undefined ? [] : this.activeSubscribersOf(base)
    const before = receivers.map(({ events }) => events.length)
    this.sendFrame(base, 'price', requested === undefined && !isLate ? 1 : 0, () =>
      this.socket?.deliverPrice(`svc-${base.toUpperCase().replace('X', 'x')}`, price),
    )
    for (const [index, { events, topic }] of receivers.entries()) {
      const received = events.length - before[index]!
      if (received !== 1) this.addViolation(`${topic} received a price ${received} times`)
    }
  }

  sendErrorText(named: boolean, index: number): void {
    if (this.socket === undefined) return
    // Such a price may be one of an earlier subscription, or confirm this one: what the text rejects is open.
    if (this.pending.some(({ base }) => this.requested.get(base)?.lastPrice !== undefined)) return
    if (this.pending.some((frame) => this.isAmbiguous(frame))) return
    if (bases.some((base) => this.mayHaveLostAnswer(base))) return
    if (named) {
      const { base } = this.pending[index % Math.max(1, this.pending.length)] ?? {}
      if (base === undefined) return
      this.answerOldestAck(base)
      this.sendRejection(this.isUnconfirmed(base) ? base : undefined, `Invalid token ${base}`)
    } else {
      const [base, ...others] = this.pendingAcks()
      const rejected = others.length === 0 ? base : undefined
      if (rejected !== undefined) this.answerOldestAck(rejected)
      this.sendRejection(rejected, 'Invalid request')
    }
  }

  // Checks.

  /** At the start of a tick: every event that was due before it was emitted. */
  checkDueEvents(): void {
    const now = this.now()
    this.endTick()
    this.checkDisconnected()
    this.checkProgress()
    this.checkDrain()
    for (const [base, { lastActivityAt, subscribeSentAt }] of this.requested) {
      for (const { subscribedAt, stales, timeouts, topic } of this.activeSubscribersOf(base)) {
        if (
          lastActivityAt !== undefined &&
          now - lastActivityAt > clientOptions.staleAfter + timerMs &&
          !stales.has(lastActivityAt)
        ) {
          this.addViolation(`${topic} received no Stale since ${lastActivityAt}`)
        }
        const due = subscribeSentAt + clientOptions.confirmTimeout
        if (
          lastActivityAt === undefined &&
          now > due + timerMs &&
          subscribedAt < due &&
          !timeouts.has(subscribeSentAt)
        ) {
          this.addViolation(`${topic} received no SubscriptionTimeout since ${subscribeSentAt}`)
        }
      }
    }
  }

  /**
   * The liveness bound: a wanted topic is live or was requested recently, an unwanted one is unsubscribed, and so is an
   * orphan. A rate limit may delay frames without bound, and a full buffer delays them until the client detects that it
   * has drained.
   */
  private checkProgress(): void {
    const { openedAt } = this
    if (openedAt === undefined || this.framesPerSecond < Infinity || this.closed) return
    const now = this.now()
    if (this.fullSince !== undefined || now < this.fullUntil + 6) return
    const { confirmTimeout } = clientOptions
    for (const base of bases) {
      const requested = this.requested.get(base)
      const since = Math.min(...this.activeSubscribersOf(base).map(({ subscribedAt }) => subscribedAt))
      const idleSince = this.idleSince.get(base)
      if (since < Infinity && requested?.lastActivityAt === undefined) {
        const waiting = now - Math.max(openedAt, since, requested?.subscribeSentAt ?? 0)
        if (waiting > 3 * confirmTimeout) this.addViolation(`${base} was not requested for ${waiting} ms`)
      }
      if (requested !== undefined && idleSince !== undefined) {
        const idle = now - Math.max(openedAt, idleSince)
        if (idle > this.linger + 2 * confirmTimeout)
          this.addViolation(`${base} has had no subscribers for ${idle} ms and is still subscribed`)
      }
    }
    for (const [base, at] of this.orphans)
      if (now > at) this.addViolation(`${base} was listed at ${at} and is not unsubscribed`)
  }

  /** A socket that does not drain is replaced. */
  private checkDrain(): void {
    this.updateBuffer()
    const undrained = this.now() - (this.undrainedSince ?? Infinity)
    if (undrained > 1.25 * clientOptions.pongTimeout + 1)
      this.addViolation(`the socket wrote no unsent byte for ${undrained} ms`)
  }

  private updateBuffer(): void {
    const { unsentBytes = 0 } = this.socket ?? {}
    this.undrainedSince = unsentBytes > 0 ? (this.undrainedSince ?? this.now()) : undefined
    if (unsentBytes >= fullBytes) {
      this.fullSince ??= this.now()
    } else if (this.fullSince !== undefined) {
      this.fullSince = undefined
      this.fullUntil = this.now()
    }
  }

  /** At the end of a tick. */
  endTick(): void {
    for (const base of bases) {
      if (this.activeSubscribersOf(base).length > 0) this.idleSince.delete(base)
      else if (!this.idleSince.has(base)) this.idleSince.set(base, this.now())
    }
    const { failure, keepsConnection, hasSubscribers } = this
    // After the retry delay a client without subscribers is idle: the next subscriber receives no `Disconnected`.
    const isIdle = failure !== undefined && !keepsConnection && this.now() >= failure.retryAt
    if (isIdle && hasSubscribers) this.failure = undefined
    this.keepsConnection = this.hasSubscribers
  }

  makeServiceReliable(transport: ManualTransport): void {
    this.isServiceReliable = true
    this.ignoresPingsNow = false
    if (this.socket !== undefined) this.socket.isRead = true
    this.drain(Infinity)
    this.openSockets(transport)
    this.confirmAll()
  }

  /** After all deadlines: exactly the topics with subscribers are requested, and all of them are confirmed. */
  checkFinalState(transport: ManualTransport): void {
    const wanted = [
      ...new Set(this.subscribers.filter(({ active }) => active).map(({ base }) => base)),
    ].sort()
    const requested = [...this.requested.keys()].sort()
    const open = transport.activeSockets.filter(({ state }) => state === 'open').length
    if (wanted.join() !== requested.join())
      this.addViolation(`wanted: ${wanted.join()}; requested: ${requested.join()}`)
    if (open !== (wanted.length > 0 ? 1 : 0)) this.addViolation(`${open} sockets for ${wanted.length} topics`)
    if ([...this.requested.values()].some(({ lastActivityAt }) => lastActivityAt === undefined))
      this.addViolation('a topic is not confirmed')
  }

  addViolation(text: string): void {
    this.violations.push(`${this.now()}: ${text}`)
  }

  // Callbacks of the transport and of the client.

  private onDial(socket: ManualSocket): void {
    if (this.closed) this.addViolation('dialled after close()')
    if (!this.hasSubscribers) this.addViolation('dialled without subscribers')
    if (this.failure !== undefined && this.now() < this.failure.retryAt)
      this.addViolation('dialled before the retry delay ended')
    if (this.isServiceReliable) this.after(1, () => this.open(socket))
  }

  private open(socket: ManualSocket): void {
    if (socket.state !== 'connecting') return
    this.epoch++
    this.openedAt = this.now()
    this.failure = undefined
    this.resetConnection()
    this.hasIgnoredPings = this.ignoresPingsNow
    this.socket = socket
    socket.open()
  }

  private onFrame(socket: ManualSocket, frame: string): void {
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    const base = topic.slice(4).toLowerCase() as Base
    this.sentAt.push(this.now())
    const sentWithinSecond = this.sentAt.filter((at) => this.now() - at <= 1000).length
    if (sentWithinSecond > this.framesPerSecond) this.addViolation(`${sentWithinSecond} frames in a second`)
    if (socket !== this.socket) this.addViolation('sent a frame on a closed connection')
    if (this.now() > (this.fullSince ?? Infinity)) this.addViolation('sent a frame on a full socket')
    this.updateBuffer()
    if (method === 'subscribe') this.onSubscribe(base)
    else this.onUnsubscribe(base)
  }

  private onSubscribe(base: Base): void {
    const now = this.now()
    const before = this.requested.get(base)
    if (this.activeSubscribersOf(base).length === 0)
      this.addViolation(`${base} requested without subscribers`)
    if (before !== undefined) {
      const isTimedOut =
        before.lastActivityAt === undefined && now - before.subscribeSentAt >= clientOptions.confirmTimeout
      if (!isTimedOut) this.addViolation(`${base} requested twice`)
      for (const { timeouts, subscribedAt } of this.activeSubscribersOf(base)) {
        const wasSubscribed = subscribedAt < before.subscribeSentAt + clientOptions.confirmTimeout
        if (wasSubscribed && !timeouts.has(before.subscribeSentAt))
          this.addViolation(`${base} requested again without a SubscriptionTimeout`)
      }
    }
    this.requested.set(base, { subscribeSentAt: now, lastActivityAt: undefined, lastPrice: undefined })
    this.everRequested.add(base)
    // No later frame is a late one of the earlier subscription.
    const left = this.unsubscribed.get(base)
    if (left !== undefined) this.unsubscribed.set(base, { ...left, unsubscribedAt: -Infinity })
    this.removed.delete(base)
    this.orphans.delete(base)
    this.pending.push({ base, hasLeft: false })
    if (this.isServiceReliable) this.after(1, () => this.confirmAll())
  }

  private onUnsubscribe(base: Base): void {
    if (this.activeSubscribersOf(base).length > 0)
      this.addViolation(`${base} unsubscribed while it has subscribers`)
    if (this.orphans.delete(base)) {
      this.unsubscribed.delete(base)
      this.unsubscribed.set(base, { unsubscribedAt: this.now(), acksUntil: [] })
      return
    }
    const requested = this.requested.get(base)
    if (!this.everRequested.has(base)) this.addViolation(`${base} unsubscribed but never requested`)
    if (requested === undefined) this.addViolation(`${base} unsubscribed twice`)
    for (const frame of this.pending) frame.hasLeft ||= frame.base === base
    // An answer to the last subscribe frame follows those to the frames before it.
    const acksUntil = this.isAwaited(base) ? this.acksUntilOf(base) : []
    this.unsubscribed.delete(base)
    this.unsubscribed.set(base, { unsubscribedAt: this.now(), acksUntil })
    this.requested.delete(base)
    this.removed.add(base)
    this.topicFailures.delete(base)
  }

  private onEnded(how: 'close' | 'terminate'): void {
    if (how === 'terminate') {
      if (this.socket?.unsentBytes === 0 && !this.hasIgnoredPings)
        this.addViolation('replaced a socket that answers pings and has no unsent bytes')
      this.onFailure(1006)
      return
    }
    if (!this.closed && this.hasSubscribers)
      this.addViolation('closed the socket while topics have subscribers')
    this.topicFailures.clear()
    this.onConnectionClosed()
  }

  private onEvent(subscriber: ModelSubscriber, event: Event): void {
    subscriber.events.push(event)
    const tag = tagOf(event)
    this.count(tag, 1)
    if (!subscriber.active || subscriber.completed)
      this.addViolation(`${subscriber.topic} received ${tag} after it unsubscribed or completed`)
    if (this.currentFrame !== undefined && !this.isSubscribing) this.checkCause(subscriber, tag)
    this.checkEvent(subscriber, event)
    if (subscriber.behaviour === 'unsubscribes on the first event') this.unsubscribe(subscriber)
    if (subscriber.behaviour === 'throws') throw new Error('thrown by the test')
  }

  private onComplete(subscriber: ModelSubscriber): void {
    const last = subscriber.events.at(-1)
    const isEnd = last !== undefined && ['SubscriptionRejected', 'ClientClosed'].includes(tagOf(last))
    if (!isEnd && !this.closed) this.addViolation(`${subscriber.topic} was completed without a final error`)
    subscriber.completed = true
    subscriber.active = false
  }

  private checkEvent(subscriber: ModelSubscriber, event: Event): void {
    const { base, topic, failures, stales, timeouts } = subscriber
    const requested = this.requested.get(base)
    const now = this.now()
    if (!isLeft(event)) {
      const { price, epoch, receivedAt } = event.right
      const isCurrent =
        requested?.lastPrice === price && epoch === this.epoch && receivedAt === requested.lastActivityAt
      if (!isCurrent || this.openedAt === undefined)
        this.addViolation(`${topic} received an old price ${price}`)
      if (event.right.topic !== topic) this.addViolation(`${topic} received a price of ${event.right.topic}`)
      return
    }
    const error = event.left
    switch (error._tag) {
      case 'Disconnected': {
        const failure = this.failure ?? this.topicFailures.get(base)
        const isSame =
          error.attempt === failure?.attempt &&
          error.retryInMs === failure.retryInMs &&
          error.code === failure.code
        if (!isSame)
          this.addViolation(`${topic} received ${error.message}, expected ${JSON.stringify(failure)}`)
        if (failures.has(failure?.id ?? 0)) this.addViolation(`${topic} received Disconnected twice`)
        failures.add(failure?.id ?? 0)
        if (failure !== undefined) this.topicFailures.set(base, failure)
        return
      }
      case 'Stale': {
        const lastActivityAt = requested?.lastActivityAt ?? Infinity
        const isSilent =
          now - lastActivityAt >= clientOptions.staleAfter &&
          error.silentForMs === Math.round(now - lastActivityAt)
        if (!isSilent || stales.has(lastActivityAt)) this.addViolation(`${topic} received ${error.message}`)
        if (error.last?.price !== requested?.lastPrice)
          this.addViolation(`${topic} received a Stale with a wrong last price`)
        stales.add(lastActivityAt)
        return
      }
      case 'SubscriptionTimeout': {
        const subscribeSentAt = requested?.subscribeSentAt ?? Infinity
        const isLate =
          requested?.lastActivityAt === undefined && now - subscribeSentAt >= clientOptions.confirmTimeout
        if (!isLate || timeouts.has(subscribeSentAt)) this.addViolation(`${topic} received ${error.message}`)
        timeouts.add(subscribeSentAt)
        return
      }
      case 'SubscriptionRejected':
        if (this.currentFrame?.kind !== 'rejection')
          this.addViolation(`${topic} was rejected without an error text`)
        return
      case 'ClientClosed':
        if (!this.closed) this.addViolation('emitted ClientClosed before close()')
        return
      case 'InvalidTopic':
      case 'DecodeError':
        return this.addViolation(`${topic} received ${error.message}`)
      default:
        return assertNever(error)
    }
  }

  /** The event must be one that the current frame causes. */
  private checkCause({ base, topic }: ModelSubscriber, tag: string): void {
    const { kind, base: frameBase } = this.currentFrame!
    const isCaused =
      kind === 'price' ? tag === 'Right' : kind === 'rejection' && tag === 'SubscriptionRejected'
    if (!isCaused || base !== frameBase)
      this.addViolation(`${topic} received ${tag} for a ${kind} frame of ${frameBase ?? 'no topic'}`)
  }

  private expectedInitialEvent(base: Base): string {
    if (this.closed) return 'ClientClosed'
    const now = this.now()
    if (this.failure !== undefined && (this.keepsConnection || now < this.failure.retryAt))
      return 'Disconnected'
    const { lastActivityAt, lastPrice } = this.requested.get(base) ?? {}
    if (lastActivityAt !== undefined && now - lastActivityAt >= clientOptions.staleAfter) return 'Stale'
    if (this.topicFailures.has(base)) return 'Disconnected'
    return lastPrice === undefined ? '' : 'Right'
  }

  /** Sends an error text that rejects a topic, or that is uncorrelated if there is no `base`. */
  private sendRejection(base: Base | undefined, text: string): void {
    const receivers = base !== undefined && this.isUnconfirmed(base) ? this.activeSubscribersOf(base) : []
    this.sendFrame(base, 'rejection', base === undefined ? 1 : 0, () => this.socket?.deliver(text))
    if (base === undefined) return
    for (const { active, events, topic } of receivers) {
      const last = events.at(-1)
      const isRejected = last !== undefined && tagOf(last) === 'SubscriptionRejected'
      if (active || !isRejected) this.addViolation(`${topic} was not rejected`)
    }
    if (this.isUnconfirmed(base)) {
      this.requested.delete(base)
      this.removed.add(base)
      this.topicFailures.delete(base)
    }
    this.pending = this.pending.filter((frame) => frame.base !== base)
  }

  /** The client must unsubscribe a topic, unless it requests the topic first, or a frame for it may be late. */
  private addOrphan(base: Base): void {
    const unsubscribed = this.unsubscribed.get(base)
    const isLate =
      unsubscribed !== undefined && this.now() - unsubscribed.unsubscribedAt < clientOptions.confirmTimeout
    if (!isLate && !this.orphans.has(base)) this.orphans.set(base, this.now())
  }

  /** The topic is wanted again since it was unsubscribed: what an answer to the earlier frame says of it is open. */
  private isAmbiguous({ base, hasLeft }: PendingFrame): boolean {
    return hasLeft && this.activeSubscribersOf(base).length > 0
  }

  /** The answer to a frame of a topic that was left since is missing: a later answer may have shown that. */
  private mayHaveLostAnswer(base: Base): boolean {
    const { acksUntil = [] } = this.unsubscribed.get(base) ?? {}
    return acksUntil.length > this.pending.filter((frame) => frame.hasLeft && frame.base === base).length
  }

  private clearPendingAck(base: Base): void {
    const unsubscribed = this.unsubscribed.get(base)
    if (unsubscribed !== undefined) unsubscribed.acksUntil = []
  }

  /** An error text answers one subscribe frame of the topic. */
  private answerOldestAck(base: Base): void {
    const unsubscribed = this.unsubscribed.get(base)
    if (unsubscribed !== undefined) unsubscribed.acksUntil = this.acksUntilOf(base).slice(1)
  }

  private sendFrame(base: Base | undefined, kind: FrameKind, expectedErrors: number, send: () => void): void {
    const before = this.uncorrelated
    this.currentFrame = { base, kind }
    send()
    this.currentFrame = undefined
    const errors = this.uncorrelated - before
    this.count('uncorrelated', errors)
    if (errors !== expectedErrors)
      this.addViolation(`${errors} uncorrelated errors for a ${kind} frame of ${base ?? 'no topic'}`)
  }

  private confirmAll(): void {
    while (this.pending.length > 0 && this.socket !== undefined) this.answerSubscribe('all')
  }

  private onFailure(code: number): void {
    this.onConnectionClosed()
    const attempt = ++this.failuresInARow
    const { initialDelay, maxDelay } = clientOptions.reconnect
    const retryInMs = Math.min(maxDelay, initialDelay * 2 ** (attempt - 1)) / 2
    const id = ++this.failureCount
    this.failure = { id, code, attempt, retryInMs, retryAt: this.now() + retryInMs }
    for (const base of bases) this.onLeft(base)
  }

  private onConnectionClosed(): void {
    const isStable =
      this.openedAt !== undefined && this.now() - this.openedAt >= clientOptions.reconnect.stableAfter
    if (isStable) this.failuresInARow = 0
    this.openedAt = undefined
    this.socket = undefined
    this.resetConnection()
  }

  private resetConnection(): void {
    this.fullSince = undefined
    this.undrainedSince = undefined
    this.requested = new Map()
    this.everRequested = new Set()
    this.unsubscribed = new Map()
    this.removed = new Set()
    this.orphans = new Map()
    this.pending = []
  }

  /** Each current subscriber has received the `Disconnected` of the current failure. */
  private checkDisconnected(): void {
    const { failure } = this
    if (failure === undefined || !this.keepsConnection || this.closed) return
    for (const { active, failures, topic } of this.subscribers) {
      if (active && !failures.has(failure.id)) this.addViolation(`${topic} did not receive Disconnected`)
    }
  }

  /** The topic of each subscribe frame that the service may answer. */
  private pendingAcks(): readonly Base[] {
    return bases.flatMap((base) => this.acksUntilOf(base).map(() => base))
  }

  /** Until when the service may answer each subscribe frame of the topic, the oldest first. */
  private acksUntilOf(base: Base): readonly number[] {
    const { acksUntil = [] } = this.unsubscribed.get(base) ?? {}
    const { subscribeSentAt = 0 } = this.requested.get(base) ?? {}
    const last = this.isAwaited(base) ? [subscribeSentAt + clientOptions.confirmTimeout] : []
    return [...acksUntil, ...last].filter((until) => this.now() < until)
  }

  /** True while the service may answer the last subscribe frame of a requested topic. */
  private isAwaited(base: Base): boolean {
    const { subscribeSentAt = -Infinity } = this.requested.get(base) ?? {}
    return this.isUnconfirmed(base) && this.now() < subscribeSentAt + clientOptions.confirmTimeout
  }

  private isUnconfirmed(base: Base): boolean {
    const requested = this.requested.get(base)
    return requested !== undefined && requested.lastActivityAt === undefined
  }

  private count(kind: string, times: number): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + times)
  }

  private get hasSubscribers(): boolean {
    return this.subscribers.some(({ active }) => active)
  }

  private activeSubscribersOf(base: Base): readonly ModelSubscriber[] {
    return this.subscribers.filter((subscriber) => subscriber.active && subscriber.base === base)
  }

  /** The time after the last unsubscription within which the client removes its sockets and timers, in ms. */
  get cleanupMs(): number {
    return this.linger + 1
  }
}

const tagOf = (event: Event): string => (isLeft(event) ? event.left._tag : 'Right')
