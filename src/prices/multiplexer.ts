import { isLeft } from 'fp-ts/lib/Either.js'
import type { Subscriber, Subscription, Unsubscribable } from 'rxjs'
import type { Address } from '../domain/address.js'
import type { ConnectionStatus } from '../domain/status.js'
import type { Topic } from '../domain/topic.js'
import type { Wake } from '../platform/platform.js'
import type { Disconnected, UncorrelatedError } from '../errors/model.js'
import { safeComplete, safeNext } from '../task/safe-notify.js'
import { delay } from '../time/deadline.js'
import { DeadlineTimer } from '../time/deadline-timer.js'
import { TickClock } from '../time/tick-clock.js'
import { deliver, deliverPrice, type Delivery } from './fan-out.js'
import { FrameHandler } from './frame-handler.js'
import { Lag } from './lag.js'
import { failureEvent, initialEvent, staleEvent, type PriceEventFactory } from './price-events.js'
import { publishFailure } from './publish-failure.js'
import { Reconciler, type ReconcilerConfig } from './reconciler.js'
import { Subscriptions } from './subscriptions.js'
import { subscribersIn, type PriceEvent, type PriceSubscriber } from './subscriber-list.js'
import { clearHeld, isConfirmed, lastPrice, type TopicState, type TopicTimeouts } from './topic-state.js'

export interface MultiplexerConfig extends ReconcilerConfig, TopicTimeouts {
  /** The name of the service, for example `svc`. */
  readonly service: string
  /** The age above which a price is held, in ms. */
  readonly maxLag: number
  readonly maxFramesPerSecond: number
}

export interface MultiplexerListener {
  readonly onStatus: () => void
  readonly onUncorrelated: (error: UncorrelatedError) => void
}

/** The number of subscribers of a topic that may leave upon a failure before the next ones receive it in a later turn. */
const maxRefusals = 10

/** The longest wait of a subscriber that receives a failure later, in ms. */
const maxRepeatDelay = 100

/** Time between two questions whether the data of a socket is current, in ms. */
const socketCheckInterval = 20

/** Carries the subscriptions of many subscribers to many topics over one connection. */
export class Multiplexer {
  private readonly subscriptions: Subscriptions
  private readonly reconciler: Reconciler
  private readonly deadlineTimer: DeadlineTimer
  private readonly tickClock: TickClock
  private readonly lag: Lag
  /** When the connection fell behind: monotonic, in ms. */
  private behindSince = 0
  /** The number of subscribers of each topic that left, in this turn of the event loop, upon a failure. */
  private readonly refusals = new Map<Address, number>()
  /** The number of subscribers that have received the current failure later. */
  private failureRepeats = 0
  private refusalTimer: Subscription | undefined

  constructor(
    private readonly config: MultiplexerConfig,
    listener: MultiplexerListener,
  ) {
    const { clock, host, publish, service, secrets } = config
    this.subscriptions = new Subscriptions(config, (state, confirmMs) => {
      const { epoch } = this.reconciler
      const { topic } = state
      this.reconciler.onConfirmed()
      for (const { onConfirmed } of subscribersIn(state)) onConfirmed?.()
      publish('svc-streams:subscribed', () => ({ host, topic, epoch, confirmMs }))
      if (this.lag.isBehind) this.deliverStale(state)
    })
    this.lag = new Lag(
      { ...config, activityCount: () => this.reconciler.activityCount },
      {
        onBehind: (behindMs) => this.onBehind(behindMs),
        onCaughtUp: (wasBehind, behindMs) => this.onCaughtUp(wasBehind, behindMs),
      },
    )
    this.tickClock = new TickClock(clock, (ms) => this.onSuspend(ms))
    const frameHandler = new FrameHandler({
      clock,
      tickClock: this.tickClock,
      subscriptions: this.subscriptions,
      lag: this.lag,
      service,
      host,
      publish,
      secrets,
      epoch: () => this.reconciler.epoch,
      isAnswerMissing: () => this.reconciler.isAnswerMissing,
      onProbeAnswered: () => this.reconciler.onProbeAnswered(),
      onUncorrelated: listener.onUncorrelated,
      onChange: () => this.onChange(),
    })
    this.reconciler = new Reconciler(config, this.subscriptions, frameHandler, {
      onStatus: listener.onStatus,
      onDeadlines: () => this.setDeadline(),
      lagMs: () => this.lag.ms,
      onConnection: (opened) => (opened === undefined ? this.lag.close() : this.lag.open(opened)),
      onDown: (error, subscribers) => this.onDown(error, subscribers),
    })
    this.deadlineTimer = new DeadlineTimer(
      clock,
      () => this.reconciler.activityCount,
      () => this.onDeadline(),
    )
  }

  get status(): ConnectionStatus {
    return this.reconciler.status
  }

  get size(): number {
    return this.subscriptions.topics.size
  }

  get states(): Iterable<TopicState> {
    return this.subscriptions.topics.states
  }

  /** False if a confirmation that lists all topics could exceed `maxFrameBytes`. The first topic always has room. */
  hasRoomFor(topic: Topic): boolean {
    const { topics } = this.subscriptions
    return topics.size === 0 || topics.confirmationBytesWith(topic) <= this.config.maxFrameBytes
  }

  has(base: Address): boolean {
    return this.subscriptions.topics.has(base)
  }

  /** Emits `Stale` if the machine was suspended since the last frame. A handler may then close the client. */
  detectSuspend(): void {
    this.tickClock.refresh()
  }

  /** Probes the open connection. Returns a function that is true until it has answered or is closed. */
  probe(): () => boolean {
    return this.reconciler.probe()
  }

  /** Probes the connection. After a freeze of at least `staleAfter`, prices that arrived meanwhile are not current. */
  wake({ isOnline, frozenMs }: Wake): void {
    this.tickClock.refresh()
    if (frozenMs >= this.config.staleAfter) this.onSuspend(0)
    else this.reconciler.wake(isOnline)
  }

  /** The ms since the last price of a topic that has one; 0 while that price is delivered. */
  priceAge(base: Address): number {
    const state = this.subscriptions.topics.get(base)
    if (state === undefined) return 0
    // The clock of the tick in which the price arrived: the time that a busy event loop takes is no age.
    this.tickClock.refresh()
    return Math.max(0, this.tickClock.elapsed - state.lastActivityAt)
  }

  /**
   * Adds a subscriber and emits its initial event, if there is one. Returns its teardown. `onConfirmed`: called when the
   * service confirms the topic on a connection, and at once if it has.
   */
  subscribe(
    base: Address,
    topic: Topic,
    subscriber: Subscriber<PriceEvent>,
    onConfirmed?: () => void,
  ): Unsubscribable {
    const subscription = new PriceSubscription(topic, subscriber, onConfirmed, this.onUnsubscribe)
    const state = this.subscriptions.addSubscriber(base, subscription)
    subscription.state = state
    this.reconciler.schedule()
    if (isConfirmed(state)) onConfirmed?.()
    this.deliverInitial(subscription, state)
    return subscription
  }

  /**
   * `retry` without a delay subscribes again as soon as it receives a failure, which would recurse without end. After
   * `maxRefusals`, subscribers therefore receive it in a later turn.
   */
  private deliverInitial(subscription: PriceSubscription, state: TopicState): void {
    const event = this.initialEventOf(state)?.(subscription.topic)
    if (event === undefined) return
    const refusals = this.refusals.get(state.base) ?? 0
    if (isLeft(event) && refusals >= maxRefusals)
      return this.repeatLater(subscription, state, Math.min(this.failureRepeats++, maxRepeatDelay))
    if (!isLeft(event) && !this.reconciler.isSocketCurrent)
      return this.repeatLater(subscription, state, socketCheckInterval)
    subscription.hasFailed = isLeft(event)
    subscription.subscriber.next(event)
  }

  /** Delivers the initial event after `ms` ms, unless a newer event has replaced it. */
  private repeatLater(subscription: PriceSubscription, state: TopicState, ms: number): void {
    const { subscriber, topic } = subscription
    const cause = (): unknown => this.reconciler.currentFailure ?? state.lastActivityAt
    const before = cause()
    const waiting = delay(this.config.clock, ms, () => {
      // Removes it from the subscriber.
      waiting.unsubscribe()
      const event = cause() === before ? this.initialEventOf(state)?.(topic) : undefined
      if (event === undefined) return
      subscription.hasFailed = isLeft(event)
      const isOutOfDate = !isLeft(event) && !this.reconciler.isSocketCurrent
      if (isOutOfDate) this.repeatLater(subscription, state, socketCheckInterval)
      else safeNext(subscriber, event)
    })
    subscriber.add(waiting)
  }

  private refuse({ base }: TopicState): void {
    const { refusals, config } = this
    if (refusals.size === 0) this.refusalTimer = delay(config.clock, 0, () => refusals.clear())
    refusals.set(base, (refusals.get(base) ?? 0) + 1)
  }

  private initialEventOf(state: TopicState): PriceEventFactory | undefined {
    const { config, lag, reconciler } = this
    const now = config.clock.elapsed()
    if (state.live && !state.held && !lag.isCurrentAt(now)) {
      state.held = true
      lag.onHeld(now)
    }
    const { currentFailure } = reconciler
    if (currentFailure !== undefined) return failureEvent(() => currentFailure)
    // A held price is delivered to all subscribers, or replaced by `Stale`.
    if (state.live && state.held) return undefined
    return initialEvent(state, config, now, lag.isBehind ? lag.ms : undefined)
  }

  /** Closes the socket, clears the timers, and completes all subscribers. */
  close(): void {
    this.refusalTimer?.unsubscribe()
    const subscribers = this.reconciler.close({ _tag: 'Closed' })
    this.subscriptions.topics.clear()
    for (const { subscriber } of subscribers) safeComplete(subscriber)
  }

  private readonly onUnsubscribe = (subscriber: PriceSubscription, state: TopicState): void => {
    if (subscriber.hasFailed) this.refuse(state)
    this.subscriptions.removeSubscriber(state, subscriber, this.config.clock.elapsed())
    this.setDeadline()
    this.reconciler.schedule()
  }

  private onChange(): void {
    this.setDeadline()
    this.reconciler.scheduleIfNeeded()
  }

  private onBehind(behindMs: number): void {
    const { clock, host, publish } = this.config
    this.behindSince = clock.elapsed()
    const deliveries = this.subscriptions.onBehind(this.behindSince, behindMs)
    const { epoch } = this.reconciler
    publish('svc-streams:behind', () => ({ host, epoch, behindMs, topics: deliveries.length }))
    this.reconciler.onLag(behindMs)
    for (const delivery of deliveries) publishFailure(this.config, deliver(delivery))
  }

  private onCaughtUp(wasBehind: boolean, behindMs: number): void {
    const { clock, host, publish } = this.config
    const now = clock.elapsed()
    const held = this.subscriptions.onCaughtUp(now)
    this.setDeadline()
    if (wasBehind) {
      const { epoch } = this.reconciler
      const behindForMs = Math.round(now - this.behindSince)
      publish('svc-streams:caught-up', () => ({ host, epoch, behindForMs, topics: held.length }))
      this.reconciler.onLag(undefined)
    }
    for (const state of held) if (!this.deliverHeld(state, behindMs)) return
  }

  /** False if the handlers of other topics took so long that the price may be older than `maxLag` again. */
  private deliverHeld(state: TopicState, behindMs: number): boolean {
    const now = this.config.clock.elapsed()
    const isCurrent = this.lag.isCurrentAt(now)
    if (!state.held) return true
    if (!isCurrent) {
      this.lag.onHeld(now)
      return false
    }
    const { skipped } = state
    clearHeld(state)
    if (state.live && skipped) this.deliverStale(state, behindMs)
    if (state.live && lastPrice(state) !== undefined) deliverPrice(state)
    return true
  }

  private deliverStale(state: TopicState, behindMs = this.lag.ms): void {
    const eventFor = staleEvent(state, this.config.clock.elapsed(), behindMs)
    publishFailure(this.config, deliver({ subscribers: subscribersIn(state), eventFor }))
  }

  private onDown(error: Disconnected, subscribers: readonly PriceSubscriber[]): void {
    this.failureRepeats = 0
    deliver({ subscribers, eventFor: failureEvent(() => error) })
  }

  /** Not called on the fast path: the timer then fires early, and the scan sets it again. */
  private setDeadline(): void {
    this.deadlineTimer.set(this.subscriptions.deadlines.next)
  }

  private onDeadline(): void {
    this.onSilence(this.subscriptions.deadlines.expire(this.config.clock.elapsed()))
  }

  /** Values from before a suspend are not current, and the service may have ended the connection meanwhile. */
  private onSuspend(ms: number): void {
    this.reconciler.requireAnswer()
    this.onSilence(this.subscriptions.deadlines.onSuspend(ms, this.config.clock.elapsed()))
  }

  private onSilence(deliveries: readonly Delivery[]): void {
    this.setDeadline()
    if (this.subscriptions.hasPendingFrames) this.reconciler.schedule()
    for (const delivery of deliveries) publishFailure(this.config, deliver(delivery))
  }
}

/** A subscriber and its teardown in one object: a topic may have many subscribers, and a closure each costs memory. */
class PriceSubscription implements PriceSubscriber, Unsubscribable {
  position = 0
  previous: PriceSubscriber | undefined
  next: PriceSubscriber | undefined
  /** True if it received a failure on its subscription. */
  hasFailed = false
  /** Set once the subscriber is added. */
  state: TopicState | undefined

  constructor(
    readonly topic: Topic,
    readonly subscriber: Subscriber<PriceEvent>,
    readonly onConfirmed: (() => void) | undefined,
    private readonly onUnsubscribe: (subscriber: PriceSubscription, state: TopicState) => void,
  ) {}

  unsubscribe(): void {
    if (this.state !== undefined) this.onUnsubscribe(this, this.state)
  }
}
