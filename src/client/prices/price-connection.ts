import { isRight } from 'fp-ts/lib/Either.js'
import { Observable, Subscription, takeUntil, type Unsubscribable } from 'rxjs'
import type { AddSource } from '../../base/diagnostics/collector.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Address, Topic } from '../../base/domain/topic.js'
import type { TopicSnapshot, ConnectionStatus } from '../../base/domain/snapshot.js'
import type { Wake } from '../../wire/platform/platform.js'
import type { Disconnected } from '../../base/errors/model.js'
import {
  ReconnectingSocket,
  type ReconnectingConfig,
  type SocketEvent,
  type Host,
} from '../../wire/socket/reconnecting.js'
import type { Session } from '../../wire/socket/session.js'
import { safeComplete, safeNext } from '../../base/task/safe-notify.js'
import { asap, CoalescedTask, delay, MovableDeadline } from '../../base/time/timers.js'
import { connectionReport, topicSnapshots } from './connection-snapshot.js'
import { EffectPerformer, type Effect, type EffectConfig } from './effects.js'
import { FrameReceiver, type FrameReceiverConfig } from './frame-receiver.js'
import { FrameSender, type FrameSenderConfig } from './frame-sender.js'
import type { PriceSubscription } from './subscribers.js'
import { Subscriptions } from './subscriptions.js'
import {
  failureEvent,
  firstEvent,
  isConfirmed,
  type SubscribedTopic,
  type TopicTable,
  type TopicTimeouts,
} from './topics.js'

export interface PriceConnectionConfig
  extends ReconnectingConfig, FrameSenderConfig, FrameReceiverConfig, EffectConfig, TopicTimeouts {
  readonly addSource: AddSource
  readonly isFront: () => boolean
  /** Called when `status` has changed. */
  readonly onStatus: () => void
}

/** Interval of the checks whether the data of a socket are current, in ms. */
const socketCheckInterval = 20

/**
 * The subscriptions of many subscribers to many topics over one connection. An event of a subscriber, the socket or a timer
 * first changes the state of the subscriptions; then `perform` notifies the subscribers. One deferred `reconcile` dials,
 * sends the pending frames, and closes: changes that cancel each other within one tick send no frames.
 */
export class PriceConnection {
  status: ConnectionStatus = { _tag: 'Idle' }
  session: Session | undefined
  private readonly subscriptions: Subscriptions
  private readonly socket: ReconnectingSocket
  private readonly sender: FrameSender
  private readonly receiver: FrameReceiver
  private readonly task: CoalescedTask
  private readonly deadlineTimer: MovableDeadline
  private readonly performer: EffectPerformer
  /** The subscription to the socket: present from the dial until the client closes it. */
  private dialled: Subscription | undefined
  /** The last failure, if no connection opened since. */
  private failure: Disconnected | undefined

  constructor(private readonly config: PriceConnectionConfig) {
    const { clock } = config
    const subscriptions = new Subscriptions(config)
    this.subscriptions = subscriptions
    this.socket = new ReconnectingSocket(config)
    this.task = new CoalescedTask(clock, () => this.reconcile())
    this.sender = new FrameSender(config, subscriptions, this.task)
    this.deadlineTimer = new MovableDeadline(
      clock,
      () => this.perform(subscriptions.onDeadline(clock.elapsed())),
      () => this.session?.activityCount() ?? 0,
    )
    this.performer = new EffectPerformer(config, this)
    this.receiver = new FrameReceiver(config, subscriptions, this, this.performer)
  }

  get host(): Host {
    return this.socket.host
  }

  get isFront(): boolean {
    return this.config.isFront()
  }

  get topics(): TopicTable {
    return this.subscriptions.topics
  }

  /** True if the first event of a new subscriber of the topic is a failure. */
  isFailing(base: Address): boolean {
    const state = this.topics.get(base)
    if (this.currentFailure !== undefined || state?.failure !== undefined) return true
    return state?.live === false && isConfirmed(state)
  }

  /** The failure that a late subscriber receives. Defined while the socket retries, and during the retry delay. */
  get currentFailure(): Disconnected | undefined {
    return this.dialled !== undefined || this.socket.retryInMs > 0 ? this.failure : undefined
  }

  snapshot(): readonly TopicSnapshot[] {
    return topicSnapshots(this, this.config, this.config.clock.elapsed())
  }

  wake({ isOnline }: Wake): void {
    this.session?.wake()
    if (isOnline && this.failure !== undefined) this.socket.retryNow()
  }

  /** The ms since the last price of a topic that has one; 0 while that price is delivered. */
  priceAge(base: Address): number {
    const state = this.topics.get(base)
    return state === undefined ? 0 : this.receiver.ageOf(state)
  }

  /** Adds a subscriber. Emits the first event, if any. */
  subscribe(subscription: PriceSubscription): Unsubscribable {
    const state = this.subscriptions.addSubscriber(subscription.base, subscription)
    this.schedule()
    if (isConfirmed(state)) subscription.onConfirmed?.()
    this.deliverFirst(subscription, state)
    return subscription
  }

  /** Requests a topic without a subscriber, because the line stands by. */
  want(base: Address, topic: Topic): SubscribedTopic {
    const state = this.subscriptions.want(base, topic)
    this.schedule()
    return state
  }

  /** Removes a subscriber, or ends `want`. */
  leave(base: Address, subscription?: PriceSubscription): void {
    const state = this.topics.get(base)
    if (state === undefined) return
    this.subscriptions.leave(state, this.config.clock.elapsed(), subscription)
    this.schedule()
  }

  /**
   * The line of this connection is now in front: a new epoch. The prices are held until a new probe is answered, unless they
   * are proven: they equal those of the line before.
   */
  onFront(isProven: boolean): void {
    const { session, config } = this
    if (session === undefined) return
    session.epoch = config.nextEpoch()
    this.subscriptions.onFront(session.epoch)
    this.scheduleIfNeeded()
    if (this.status._tag === 'Open') this.status = { ...this.status, epoch: session.epoch }
    if (isProven || !session.lag.hold()) asap(config.clock, () => this.receiver.onCaughtUp(false, 0))
  }

  /** Closes the socket, clears the timers, and completes all subscribers. */
  close(): void {
    const subscribers = this.hangUp({ _tag: 'Closed' })
    this.topics.clear()
    for (const { subscriber } of subscribers) safeComplete(subscriber)
  }

  // The events of the socket.

  private onSocketEvent(event: SocketEvent): void {
    switch (event._tag) {
      case 'Connecting':
        return this.setStatus(event)
      case 'Opened':
        return this.onOpened(event.session)
      case 'Down':
        return this.onDown(event.error)
      default:
        return assertNever(event)
    }
  }

  private onOpened(session: Session): void {
    this.session = session
    this.failure = undefined
    this.subscriptions.onOpen()
    this.task.afterTick()
    this.setOpen()
  }

  private onDown(error: Disconnected): void {
    this.session = undefined
    this.failure = error
    const eventFor = failureEvent(() => error)
    const taken = this.config.onFailing(() => eventFor)
    this.sender.onDown()
    const subscribers = this.subscriptions.onDown(eventFor)
    this.schedule()
    this.setStatus(waiting(error, error.retryInMs))
    this.performer.perform([...taken, { _tag: 'Deliver', subscribers, eventFor }])
  }

  // What the events cause.

  /** Delivers the event that is in force, if there is one. */
  private deliverFirst(subscription: PriceSubscription, state: SubscribedTopic): void {
    const { session, currentFailure, config } = this
    const { topic, subscriber, position } = subscription
    const now = config.clock.elapsed()
    if (session !== undefined && state.live && !session.lag.isInTime(now)) {
      // The subscribers before this one have the price.
      state.held ??= { hasReplaced: false, deliveredUpTo: position - 1 }
      session.lag.onHeld(now)
    }
    const behindMs = this.subscriptions.isBehind ? session?.lag.ms : undefined
    if (currentFailure !== undefined) state.failure = { eventFor: failureEvent(() => currentFailure) }
    const event = firstEvent(state, config, now, behindMs)?.(topic)
    if (event === undefined) return
    if (session?.socket.isCurrent(state.base) === false && isRight(event))
      this.deliverFirstLater(subscription, state)
    // After an exception here, the caller could not remove the subscriber.
    else safeNext(subscriber, event)
  }

  /** The last price of the socket may be old: it waits until it is current, or until a newer event replaces it. */
  private deliverFirstLater(subscription: PriceSubscription, state: SubscribedTopic): void {
    const { lastActivityAt, price } = state
    const waiting = delay(this.config.clock, socketCheckInterval, () => {
      // Removes it from the subscriber.
      waiting.unsubscribe()
      if (state.live && state.lastActivityAt === lastActivityAt && state.price === price)
        this.deliverFirst(subscription, state)
    })
    subscription.subscriber.add(waiting)
  }

  private reconcile(): void {
    const { subscriptions } = this
    const now = this.config.clock.elapsed()
    // The deadline of the last topics may have passed, but not fired: their unsubscribe frames precede the close.
    if (!subscriptions.needsConnection(now)) subscriptions.releaseAll()
    if (this.session !== undefined) this.sender.sendPending(this.session, now)
    this.setDeadline()
    if (!subscriptions.needsConnection(now)) this.hangUp({ _tag: 'Idle' })
    else if (this.dialled === undefined) this.dial()
  }

  /** Called when a subscriber has joined or left. */
  private schedule(): void {
    this.setDeadline()
    this.task.afterTick()
  }

  /** Schedules `reconcile()` only if it has work, then performs the effects. */
  perform(effects: readonly Effect[]): void {
    this.scheduleIfNeeded()
    this.performer.perform(effects)
  }

  scheduleIfNeeded(): void {
    const { subscriptions, task } = this
    this.setDeadline()
    if (subscriptions.topics.size === 0 || (!task.isDelayed && subscriptions.hasPendingFrames))
      task.afterTick()
  }

  /** Not called on the fast path: the timer then fires early, and the scan sets it again. */
  private setDeadline(): void {
    this.deadlineTimer.set(this.subscriptions.nextDeadline)
  }

  private dial(): void {
    const { retryInMs } = this.socket
    const dialled = new Subscription()
    const { addSource, clock } = this.config
    dialled.add(
      addSource((collector) => collector.connection(connectionReport(this, this.config, clock.elapsed()))),
    )
    const closed$ = new Observable<void>((subscriber) => dialled.add(() => subscriber.next()))
    this.dialled = dialled
    if (retryInMs === 0) this.failure = undefined
    else if (this.failure !== undefined) this.setStatus(waiting(this.failure, retryInMs))
    const event$ = this.socket.events$(this.receiver, this.sender).pipe(takeUntil(closed$))
    event$.subscribe((event) => this.onSocketEvent(event))
  }

  /** Closes the socket. Returns the subscribers. */
  private hangUp(status: ConnectionStatus): readonly PriceSubscription[] {
    this.task.cancel()
    this.dialled?.unsubscribe()
    this.dialled = this.session = undefined
    const subscribers = this.subscriptions.onDown()
    this.setDeadline()
    this.setStatus(status)
    return subscribers
  }

  /** `behindMs`: defined if the prices may be older than `maxLag`. */
  setOpen(behindMs?: number): void {
    if (this.session === undefined) return
    const { epoch, since } = this.session
    this.setStatus({ _tag: 'Open', epoch, since, ...(behindMs === undefined ? {} : { behindMs }) })
  }

  private setStatus(status: ConnectionStatus): void {
    if (this.status._tag === 'Closed' || (status._tag === 'Idle' && this.status._tag === 'Idle')) return
    this.status = status
    this.config.onStatus()
  }
}

const waiting = ({ attempt, reason }: Disconnected, retryInMs: number): ConnectionStatus => ({
  _tag: 'Waiting',
  attempt,
  retryInMs,
  reason,
})
