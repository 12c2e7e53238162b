import { Observable, Subscription, takeUntil } from 'rxjs'
import type { AddSource, DiagnosticsCollector } from '../diagnostics/collector.js'
import { assertNever } from '../domain/assert-never.js'
import type { ConnectionStatus } from '../domain/status.js'
import type { Disconnected } from '../errors/model.js'
import {
  ReconnectingSocket,
  type OpenedEvent,
  type ReconnectingConfig,
  type SocketEvent,
} from '../socket/reconnecting.js'
import type { FrameSink } from '../socket/session.js'
import { CoalescedTask } from '../time/coalesced-task.js'
import type { RateLimiter } from '../time/rate-limiter.js'
import { connectionStateOf, waiting } from './connection-state.js'
import { SubscribeProber, type ServiceMemory } from './subscribe-prober.js'
import type { Subscriptions } from './subscriptions.js'
import type { PriceSubscriber } from './subscriber-list.js'

export interface ReconcilerConfig extends ReconnectingConfig {
  readonly memory: ServiceMemory
  /** Shared by all connections of the client. */
  readonly rateLimiter: RateLimiter
  readonly addSource: AddSource
}

export interface ReconcilerListener {
  /** The upper bound of the age of the prices, in ms; `undefined` if it is unknown. */
  readonly lagMs: () => number | undefined
  readonly onStatus: (status: ConnectionStatus) => void
  /** Called when the next deadline of the subscriptions may have changed. */
  readonly onDeadlines: () => void
  /** Called when a connection opens, and with `undefined` when it has ended. */
  readonly onConnection: (opened: OpenedEvent | undefined) => void
  /** Called when the connection is lost, or when a dial failed. */
  readonly onDown: (error: Disconnected, subscribers: readonly PriceSubscriber[]) => void
}

/** The maximum number of frames per event-loop turn. */
const burst = 256

/** The interval of the checks whether a full socket has drained, in ms. */
const drainCheckMs = 5

/**
 * Brings one connection in line with the subscriptions: dials, sends the pending frames, closes. Changes only alter
 * the subscriptions and schedule one `reconcile()`, so changes that cancel out within one tick send no frames.
 */
export class Reconciler {
  private readonly socket: ReconnectingSocket
  private readonly task: CoalescedTask
  private current: ConnectionStatus = { _tag: 'Idle' }
  /** The subscription to the socket: present from the dial until the client closes it. */
  private session: Subscription | undefined
  private open: OpenedEvent | undefined
  /** The last failure, if no connection opened since. */
  private failure: Disconnected | undefined

  private readonly prober: SubscribeProber

  constructor(
    private readonly config: ReconcilerConfig,
    private readonly subscriptions: Subscriptions,
    private readonly sink: FrameSink,
    private readonly listener: ReconcilerListener,
  ) {
    const { clock, memory, rateLimiter } = config
    this.socket = new ReconnectingSocket(config)
    this.prober = new SubscribeProber(
      subscriptions.topics,
      subscriptions.acks,
      memory,
      clock.elapsed,
      (frame) => {
        this.open?.socket.send(frame)
        rateLimiter.consume(1, clock.elapsed())
      },
    )
    this.task = new CoalescedTask(config.clock, () => this.reconcile())
  }

  get status(): ConnectionStatus {
    return this.current
  }

  /** The number of the open connection; 0 if there is none. */
  get epoch(): number {
    return this.open?.epoch ?? 0
  }

  /** Counts the frames and pongs of the open connection. */
  get activityCount(): number {
    return this.open?.activityCount() ?? 0
  }

  /** The failure that a late subscriber receives. Defined while the socket retries, and during the retry delay. */
  get currentFailure(): Disconnected | undefined {
    return this.session !== undefined || this.socket.retryInMs > 0 ? this.failure : undefined
  }

  /** Called when the service confirms a subscribe frame. */
  onConfirmed(): void {
    this.open?.socket.onAnswer()
  }

  /** Called when the service answers a probe. */
  onProbeAnswered(): void {
    this.config.memory.answersProbes = true
    this.open?.onAnswer()
  }

  /** False if the last prices may be out of date by the transport. */
  get isSocketCurrent(): boolean {
    return this.open?.isCurrent() ?? true
  }

  /** True while the next frames may be older than the last `requireAnswer`. */
  get isAnswerMissing(): boolean {
    return this.open?.isAnswerMissing() ?? false
  }

  /** Requires an answer of the service. Without one, the socket is replaced. */
  requireAnswer(): void {
    this.open?.requireAnswer()
  }

  /** Probes the open connection. Returns a function that is true until it has answered or is closed. */
  probe(): () => boolean {
    const { open } = this
    const isMissing = open?.probe()
    return () => isMissing !== undefined && this.open === open && isMissing()
  }

  /** Probes the connection. `isOnline`: the network has returned, which ends the wait for the next dial. */
  wake(isOnline: boolean): void {
    this.open?.wake()
    if (isOnline && this.failure !== undefined) this.socket.retryNow()
  }

  schedule(): void {
    this.task.afterTick()
  }

  /** Schedules `reconcile()` only if it has something to do. Called for every frame that takes the slow path. */
  scheduleIfNeeded(): void {
    const { subscriptions, task } = this
    if (subscriptions.topics.size === 0 || (!task.isDelayed && subscriptions.hasPendingFrames))
      task.afterTick()
  }

  /** Closes the socket. Returns the subscribers. */
  close(status: ConnectionStatus): readonly PriceSubscriber[] {
    this.task.cancel()
    this.session?.unsubscribe()
    this.session = undefined
    this.open = undefined
    this.listener.onConnection(undefined)
    const subscribers = this.subscriptions.onDown()
    this.listener.onDeadlines()
    this.setStatus(status)
    return subscribers
  }

  /** The prices of the open connection may be older than `maxLag`; `undefined`: they are current again. */
  onLag(behindMs: number | undefined): void {
    if (this.open === undefined) return
    const { epoch, since } = this.open
    this.setStatus({ _tag: 'Open', epoch, since, ...(behindMs === undefined ? {} : { behindMs }) })
  }

  private reconcile(): void {
    const now = this.config.clock.elapsed()
    // The deadline of the last topics may have passed, but not fired: their unsubscribe frames precede the close.
    if (!this.subscriptions.needsConnection(now)) this.subscriptions.deadlines.release(now)
    if (this.open !== undefined) this.sendFrames(this.open, now)
    if (!this.subscriptions.needsConnection(now)) this.close({ _tag: 'Idle' })
    else if (this.session === undefined) this.dial()
  }

  private sendFrames({ socket }: OpenedEvent, now: number): void {
    const { rateLimiter } = this.config
    // A frame that is kept back is not taken: if its topic leaves, neither a subscribe nor an unsubscribe is sent.
    const { isFull } = socket
    const limit = isFull ? 0 : Math.min(burst, rateLimiter.available(now))
    const frames = this.subscriptions.takeFrames(limit, now)
    for (const frame of frames) socket.send(frame)
    // A frame counts from the time at which it has been sent: a busy machine may delay the sending.
    rateLimiter.consume(frames.length, this.config.clock.elapsed())
    if (this.subscriptions.hasPendingFrames)
      this.sendMoreAfter(isFull ? drainCheckMs : rateLimiter.delay(now))
    this.listener.onDeadlines()
  }

  private sendMoreAfter(delay: number): void {
    if (delay === 0) this.task.afterTurn()
    else this.task.afterDelay(delay)
  }

  private dial(): void {
    const { retryInMs } = this.socket
    const session = new Subscription()
    session.add(this.config.addSource((collector) => this.report(collector)))
    const closed$ = new Observable<void>((subscriber) => session.add(() => subscriber.next()))
    // Set before notifying: a subscriber may unsubscribe synchronously, which cancels this dial.
    this.session = session
    if (retryInMs === 0) this.failure = undefined
    else if (this.failure !== undefined) this.setStatus(waiting(this.failure, retryInMs))
    const event$ = this.socket.events$(this.sink, this.prober).pipe(takeUntil(closed$))
    event$.subscribe((event) => this.onSocketEvent(event))
  }

  private report(collector: DiagnosticsCollector): void {
    const { config, current, socket, subscriptions } = this
    const { host, clock } = config
    const { prices } = socket
    const states = subscriptions.topics.states
    const lagMs = this.listener.lagMs()
    collector.connection(
      connectionStateOf({ host, status: current, prices, states, lagMs, now: clock.elapsed() }),
    )
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
    this.listener.onConnection(opened)
    // The first probe may have found the socket broken.
    if (this.open === opened) this.setStatus({ _tag: 'Open', epoch: opened.epoch, since: opened.since })
  }

  private onDown(error: Disconnected): void {
    this.open = undefined
    this.listener.onConnection(undefined)
    this.failure = error
    this.task.cancelDelay()
    const subscribers = this.subscriptions.onDown()
    this.listener.onDeadlines()
    this.task.afterTick()
    this.setStatus(waiting(error, error.retryInMs))
    this.listener.onDown(error, subscribers)
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.current._tag === 'Closed' || (status._tag === 'Idle' && this.current._tag === 'Idle')) return
    this.current = status
    this.listener.onStatus(status)
  }
}
