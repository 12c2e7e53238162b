import { Observable, Subscription, takeUntil } from 'rxjs'
import { subscribeFrame } from '../../wire/codec/price-frame.js'
import type { AddSource, ConnectionState, DiagnosticsCollector } from '../../base/diagnostics/collector.js'
import { assertNever } from '../../base/domain/assert-never.js'
import { behindMsOf, type ConnectionStatus } from '../../base/domain/status.js'
import type { Disconnected } from '../../base/errors/model.js'
import {
  ReconnectingSocket,
  type OpenedEvent,
  type ReconnectingConfig,
  type SocketEvent,
} from '../../wire/socket/reconnecting.js'
import type { FrameSink } from '../../wire/socket/session.js'
import { CoalescedTask } from '../../base/time/coalesced-task.js'
import { DeadlineTimer } from '../../base/time/deadline.js'
import type { RateLimiter } from '../../base/time/rate-limiter.js'
import { SubscribeProber } from './outgoing-frames.js'
import type { PriceSubscriber } from './subscribers.js'
import type { Effect, Subscriptions } from './subscriptions.js'
import { lastPrice, snapshotStateOf, type TopicState } from './topics.js'

export interface ReconcilerConfig extends ReconnectingConfig {
  /** Shared by all connections of the client. */
  readonly rateLimiter: RateLimiter
  readonly addSource: AddSource
}

/** Receives the frames and the events of the connection. */
export interface ConnectionListener extends FrameSink {
  onStatus(): void
  /** Called when a deadline of the subscriptions has passed. */
  onDeadline(effects: readonly Effect[]): void
  /** Called when the connection is lost, or when a dial failed. */
  onDown(error: Disconnected, subscribers: readonly PriceSubscriber[]): void
}

/** The maximum number of frames per event-loop turn. */
const burst = 256

/** The interval of the checks whether a full socket has drained, in ms. */
const drainCheckMs = 5

/**
 * Adapts one connection to the subscriptions: dials, sends the pending frames, closes, and sets a timer for the next
 * deadline. A change only changes the subscriptions and schedules one `reconcile()`. Changes that cancel each other
 * within one tick therefore send no frames.
 */
export class Reconciler {
  /** The open connection, if there is one. */
  open: OpenedEvent | undefined
  status: ConnectionStatus = { _tag: 'Idle' }
  private readonly socket: ReconnectingSocket
  private readonly prober: SubscribeProber
  private readonly task: CoalescedTask
  private readonly deadlineTimer: DeadlineTimer
  /** The subscription to the socket: present from the dial until the client closes it. */
  private session: Subscription | undefined
  /** The last failure, if no connection opened since. */
  private failure: Disconnected | undefined
  /** True if a probe is delayed by `maxFramesPerSecond`. */
  private isProbeDue = false
  /** True if the last frame was no probe. Probes and other frames take turns while only one may be sent. */
  private isProbeTurn = false

  constructor(
    private readonly config: ReconcilerConfig,
    private readonly subscriptions: Subscriptions,
    private readonly listener: ConnectionListener,
  ) {
    const { clock, probeSupport } = config
    this.socket = new ReconnectingSocket(config)
    this.prober = new SubscribeProber(subscriptions.topics, probeSupport, (state) => this.sendProbe(state))
    this.task = new CoalescedTask(clock, () => this.reconcile())
    this.deadlineTimer = new DeadlineTimer(
      clock,
      () => this.open?.activityCount() ?? 0,
      () => listener.onDeadline(subscriptions.onDeadline(clock.elapsed())),
    )
  }

  /** The failure that a late subscriber receives. Defined while the socket retries, and during the retry delay. */
  get currentFailure(): Disconnected | undefined {
    return this.session !== undefined || this.socket.retryInMs > 0 ? this.failure : undefined
  }

  /** Ends the wait for the next dial, because the network has returned. */
  retryNow(): void {
    if (this.failure !== undefined) this.socket.retryNow()
  }

  /** Called when a subscriber has joined or left. */
  schedule(): void {
    this.setDeadline()
    this.task.afterTick()
  }

  /** Called when a frame or a deadline has changed the subscriptions: schedules `reconcile()` only if it has work. */
  scheduleIfNeeded(): void {
    const { subscriptions, task } = this
    this.setDeadline()
    if (subscriptions.topics.size === 0 || (!task.isDelayed && subscriptions.hasPendingFrames))
      task.afterTick()
  }

  /** Closes the socket. Returns the subscribers. */
  close(status: ConnectionStatus): readonly PriceSubscriber[] {
    this.task.cancel()
    this.session?.unsubscribe()
    this.session = undefined
    this.open = undefined
    const subscribers = this.subscriptions.onDown()
    this.setDeadline()
    this.setStatus(status)
    return subscribers
  }

  /** `behindMs`: the prices of the open connection may be older than `maxLag`; `undefined`: they are current again. */
  onLag(behindMs: number | undefined): void {
    if (this.open === undefined) return
    const { epoch, since } = this.open
    this.setStatus({ _tag: 'Open', epoch, since, ...(behindMs === undefined ? {} : { behindMs }) })
  }

  private reconcile(): void {
    const now = this.config.clock.elapsed()
    // The deadline of the last topics may have passed, but not fired: their unsubscribe frames precede the close.
    if (!this.subscriptions.needsConnection(now)) this.subscriptions.releaseAll()
    if (this.open !== undefined) this.sendFrames(this.open, now)
    if (!this.subscriptions.needsConnection(now)) this.close({ _tag: 'Idle' })
    else if (this.session === undefined) this.dial()
  }

  private sendFrames({ socket, lag }: OpenedEvent, now: number): void {
    const { rateLimiter } = this.config
    if (this.isProbeDue) lag.probeNow()
    // A delayed frame stays in the queue: if its topic loses its subscribers, neither a subscribe nor an unsubscribe
    // frame is sent.
    const { isFull } = socket
    const limit = isFull ? 0 : Math.min(burst, rateLimiter.available(now))
    const frames = this.subscriptions.takeFrames(limit, now)
    for (const frame of frames) socket.send(frame)
    // A frame counts from the time at which it was sent, because a busy machine may delay sending.
    rateLimiter.consume(frames.length, this.config.clock.elapsed())
    if (frames.length > 0) this.isProbeTurn = true
    if (this.subscriptions.hasPendingFrames) {
      const delay = isFull ? drainCheckMs : rateLimiter.delay(now)
      if (delay === 0) this.task.afterTurn()
      else this.task.afterDelay(delay)
    }
    this.setDeadline()
  }

  private sendProbe(state: TopicState): boolean {
    const { clock, rateLimiter } = this.config
    const now = clock.elapsed()
    const available = rateLimiter.available(now)
    const mustWait = available === 1 && !this.isProbeTurn && this.subscriptions.hasPendingFrames
    this.isProbeDue = mustWait || available < 1
    if (this.isProbeDue) {
      this.task.afterDelay(rateLimiter.delay(now))
      return false
    }
    this.isProbeTurn = false
    this.subscriptions.acks.onProbe(state, now)
    this.open?.socket.send(subscribeFrame(state.topic))
    rateLimiter.consume(1, now)
    return true
  }

  private dial(): void {
    const { retryInMs } = this.socket
    const session = new Subscription()
    session.add(this.config.addSource((collector) => this.report(collector)))
    const closed$ = new Observable<void>((subscriber) => session.add(() => subscriber.next()))
    this.session = session
    if (retryInMs === 0) this.failure = undefined
    else if (this.failure !== undefined) this.setStatus(waiting(this.failure, retryInMs))
    const event$ = this.socket.events$(this.listener, this.prober).pipe(takeUntil(closed$))
    event$.subscribe((event) => this.onSocketEvent(event))
  }

  private onSocketEvent(event: SocketEvent): void {
    switch (event._tag) {
      case 'Connecting':
        return this.setStatus(event)
      case 'Opened':
        return this.onOpened(event)
      case 'Down':
        return this.onDown(event.error)
      default:
        return assertNever(event)
    }
  }

  private onOpened(opened: OpenedEvent): void {
    this.open = opened
    this.failure = undefined
    this.subscriptions.onOpen()
    this.task.afterTick()
    this.setStatus({ _tag: 'Open', epoch: opened.epoch, since: opened.since })
  }

  private onDown(error: Disconnected): void {
    this.open = undefined
    this.failure = error
    this.isProbeDue = false
    this.task.cancelDelay()
    const subscribers = this.subscriptions.onDown()
    this.schedule()
    this.setStatus(waiting(error, error.retryInMs))
    this.listener.onDown(error, subscribers)
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.status._tag === 'Closed' || (status._tag === 'Idle' && this.status._tag === 'Idle')) return
    this.status = status
    this.listener.onStatus()
  }

  /** Not called on the fast path: the timer then fires early, and the scan sets it again. */
  private setDeadline(): void {
    this.deadlineTimer.set(this.subscriptions.nextDeadline)
  }

  /** The state of the connection and its topics, for collectors. */
  private report(collector: DiagnosticsCollector): void {
    const { status, open, socket } = this
    const now = this.config.clock.elapsed()
    const topics = { waiting: 0, live: 0, stale: 0, lingering: 0 }
    let maxPriceAgeMs: number | undefined
    for (const state of this.subscriptions.topics.states) {
      const snapshot = snapshotStateOf(state)
      topics[snapshot]++
      if (snapshot !== 'lingering' && lastPrice(state) !== undefined) {
        maxPriceAgeMs = Math.max(maxPriceAgeMs ?? 0, now - state.lastActivityAt)
      }
    }
    collector.connection({
      host: this.config.host,
      state: stateNames[status._tag],
      prices: socket.prices,
      topics,
      maxPriceAgeMs,
      lagMs: open?.lag.ms,
      isBehind: behindMsOf(status) !== undefined,
    })
  }
}

/** A reported connection has topics: its status is `Idle` only until its dial begins. */
const stateNames: Readonly<Record<ConnectionStatus['_tag'], ConnectionState['state']>> = {
  Idle: 'connecting',
  Connecting: 'connecting',
  Open: 'open',
  Waiting: 'waiting',
  Closed: 'waiting',
}

/** The status after a failure. */
const waiting = ({ attempt, reason }: Disconnected, retryInMs: number): ConnectionStatus => ({
  _tag: 'Waiting',
  attempt,
  retryInMs,
  reason,
})
