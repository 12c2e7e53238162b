import type { Subscriber, Unsubscribable } from 'rxjs'
import { readFrame } from '../../wire/codec/price-frame.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Address } from '../../base/domain/address.js'
import type { ConnectionStatus } from '../../base/domain/status.js'
import type { Topic } from '../../base/domain/topic.js'
import type { Wake } from '../../wire/platform/platform.js'
import type { Disconnected, UncorrelatedError } from '../../base/errors/model.js'
import type { Lag } from '../../wire/socket/lag.js'
import type { OpenedEvent } from '../../wire/socket/reconnecting.js'
import { safeComplete } from '../../base/task/safe-notify.js'
import { TickClock } from '../../base/time/tick-clock.js'
import { FirstEvents, PriceSubscription } from './first-events.js'
import { failureEvent, initialEvent, publishFailure, staleEvent } from './price-events.js'
import { onBinary, onFrame, onPriceUpdate, onUnusedPrice, type Reception } from './received-frame.js'
import { Reconciler, type ConnectionListener, type ReconcilerConfig } from './reconciler.js'
import {
  deliver,
  deliverPrice,
  subscribersIn,
  type Delivery,
  type PriceEvent,
  type PriceEventFactory,
  type PriceSubscriber,
} from './subscribers.js'
import { Subscriptions, type Effect } from './subscriptions.js'
import { clearHeld, isConfirmed, lastPrice, type TopicState, type TopicTimeouts } from './topics.js'

export interface PriceConnectionConfig extends ReconcilerConfig, TopicTimeouts {
  /** The name of the service, for example `svc`. */
  readonly service: string
}

/** The connections of a client. */
export interface PriceConnectionOwner {
  readonly onStatus: () => void
  readonly onUncorrelated: (error: UncorrelatedError) => void
  /** The service has answered a probe. */
  readonly onMeasured: () => void
}

/**
 * The subscriptions of many subscribers to many topics over one connection. An event first changes the state of the
 * subscriptions, then `perform` notifies the subscribers.
 */
export class PriceConnection implements ConnectionListener {
  textPrices = 0
  readonly onMeasured: () => void
  private readonly subscriptions: Subscriptions
  private readonly reception: Reception
  private readonly reconciler: Reconciler
  private readonly tickClock: TickClock
  private readonly firstEvents: FirstEvents
  /** When the connection fell behind: monotonic, in ms. */
  private behindSince = 0

  constructor(
    private readonly config: PriceConnectionConfig,
    private readonly owner: PriceConnectionOwner,
  ) {
    const { clock, service, secrets } = config
    this.onMeasured = owner.onMeasured
    this.subscriptions = new Subscriptions(config)
    this.reception = { subscriptions: this.subscriptions, clock, service, secrets }
    this.reconciler = new Reconciler(config, this.subscriptions, this)
    this.tickClock = new TickClock(clock, (ms) => this.onSuspend(ms))
    this.firstEvents = new FirstEvents({
      clock,
      eventOf: (state, subscriber) => this.firstEventOf(state, subscriber),
      isCurrent: this.isCurrent,
      failure: () => this.reconciler.currentFailure,
    })
  }

  get status(): ConnectionStatus {
    return this.reconciler.status
  }

  get topics(): Subscriptions['topics'] {
    return this.subscriptions.topics
  }

  /** False if a confirmation that lists all topics could exceed `maxFrameBytes`. The first topic always has room. */
  hasRoomFor(topic: Topic): boolean {
    const { topics } = this.subscriptions
    return topics.size === 0 || topics.confirmationBytesWith(topic) <= this.config.maxFrameBytes
  }

  /** Emits `Stale` if the machine was suspended since the last frame. A handler may then close the client. */
  detectSuspend(): void {
    this.tickClock.refresh()
  }

  /** Probes the open connection. The returned function is true until it has answered or is closed. */
  probe(): () => boolean {
    const { open } = this.reconciler
    const isMissing = open?.probe()
    return () => isMissing !== undefined && this.reconciler.open === open && isMissing()
  }

  /** False if data that have arrived on the open connection may be older than `maxLag`. */
  readonly isCurrent = (): boolean =>
    (this.reconciler.open?.isCurrent() ?? true) && this.lag?.isCurrentNow() !== false

  /** Probes the connection. After a freeze of at least `staleAfter`, prices from the freeze are not current. */
  wake({ isOnline, frozenMs }: Wake): void {
    this.tickClock.refresh()
    if (frozenMs >= this.config.staleAfter) return this.onSuspend(0)
    this.reconciler.open?.wake()
    if (isOnline) this.reconciler.retryNow()
  }

  /** The ms since the last price of a topic that has one; 0 while that price is delivered. */
  priceAge(base: Address): number {
    const state = this.subscriptions.topics.get(base)
    if (state === undefined) return 0
    // The clock of the tick in which the price arrived: time spent in a busy event loop does not count.
    this.tickClock.refresh()
    return Math.max(0, this.tickClock.elapsed - state.lastActivityAt)
  }

  /** Emits the first event, if any. `onConfirmed`: called when the service has confirmed the topic, perhaps at once. */
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
    this.firstEvents.deliver(subscription, state)
    return subscription
  }

  /** Closes the socket, clears the timers, and completes all subscribers. */
  close(): void {
    const subscribers = this.reconciler.close({ _tag: 'Closed' })
    this.subscriptions.topics.clear()
    for (const { subscriber } of subscribers) safeComplete(subscriber)
    // Called last, because a subscriber that leaves may start a timer.
    this.firstEvents.close()
  }

  /**
   * The fast path, for a price of a live topic. Such a price only postpones the topic's deadline and needs no frame, so
   * it neither sets the timer nor schedules `reconcile()`. Returns false if the frame needs the slow path. This
   * includes every price that may be older than `maxLag`.
   */
  onBytes(memory: Uint8Array, start: number, end: number): boolean {
    const { pricePatterns } = this.subscriptions
    const state = pricePatterns.recognise(memory, start, end)
    const { tickClock, reconciler } = this
    // Called before `live` is read: after a suspend, no topic is live, and a probe may find the socket broken.
    tickClock.advance()
    const { elapsed } = tickClock
    const { open } = reconciler
    if (open === undefined || (elapsed >= open.lag.checkAt && !open.lag.isCurrentAt(elapsed))) return false
    if (!state?.live) return false
    state.lastActivityAt = elapsed
    state.price = pricePatterns.price
    state.receivedAt = tickClock.wallClock
    state.epoch = open.epoch
    state.count++
    this.deliverPrice(state, open)
    return true
  }

  onText(text: string): void {
    this.tickClock.advance()
    const frame = readFrame(text)
    if (frame._tag !== 'PriceUpdate') return this.perform(onFrame(this.reception, frame, text))
    this.textPrices++
    const { open } = this.reconciler
    // The frame may be from before a suspend of the machine, or from a freeze of the page.
    if (open?.isAnswerMissing() === true) return onUnusedPrice(this.reception, frame)
    // The clock of the tick, as in `priceAge`: a gateway sends the price within the tick, and its age must not
    // decrease.
    const at = this.tickClock.elapsed
    const behindMs = open?.lag.isCurrentAt(at) === false ? open.lag.ms : undefined
    this.perform(onPriceUpdate(this.reception, frame, text, { at, epoch: open?.epoch ?? 0, behindMs }))
  }

  onBinary(frame: Uint8Array): void {
    this.perform(onBinary(this.reception, frame))
  }

  onTick(): void {
    this.tickClock.refresh()
  }

  onStatus(): void {
    this.owner.onStatus()
  }

  onDeadline(effects: readonly Effect[]): void {
    this.perform(effects)
  }

  onDown(error: Disconnected, subscribers: readonly PriceSubscriber[]): void {
    this.firstEvents.onDown()
    deliver({ subscribers, eventFor: failureEvent(() => error) })
  }

  onBehind(behindMs: number): void {
    const { clock, host, publish } = this.config
    this.behindSince = clock.elapsed()
    const effects = this.subscriptions.onBehind(this.behindSince, behindMs)
    const epoch = this.reconciler.open?.epoch ?? 0
    publish('svc-streams:behind', () => ({ host, epoch, behindMs, topics: effects.length }))
    this.reconciler.onLag(behindMs)
    this.perform(effects)
  }

  onCaughtUp(wasBehind: boolean, behindMs: number): void {
    const { clock, host, publish } = this.config
    const now = clock.elapsed()
    const held = this.subscriptions.onCaughtUp(now)
    this.reconciler.scheduleIfNeeded()
    if (wasBehind) {
      const epoch = this.reconciler.open?.epoch ?? 0
      const behindForMs = Math.round(now - this.behindSince)
      publish('svc-streams:caught-up', () => ({ host, epoch, behindForMs, topics: held.length }))
      this.reconciler.onLag(undefined)
    }
    for (const state of held) if (!this.deliverHeld(state, behindMs)) return
  }

  /** False if the handlers of other topics took so long that the price may be older than `maxLag` again. */
  private deliverHeld(state: TopicState, behindMs: number): boolean {
    const { lag } = this
    if (!state.held) return true
    if (lag?.isCurrentNow() === false) {
      lag.onHeld(this.config.clock.elapsed())
      return false
    }
    const { skipped, deliveredUpTo } = state
    clearHeld(state)
    if (state.live && skipped) this.deliverStale(state, behindMs)
    if (!state.live || lastPrice(state) === undefined) return true
    return this.deliverPrice(state, this.reconciler.open, deliveredUpTo)
  }

  /** False if the handler of a subscriber took so long that the remaining ones receive the price later, or not at all. */
  private deliverPrice(state: TopicState, open: OpenedEvent | undefined, after?: number): boolean {
    if (deliverPrice(state, open?.isCurrentNow ?? isAlwaysCurrent, after)) return true
    state.held = state.skipped = true
    open?.lag.onHeld(this.config.clock.elapsed())
    return false
  }

  /** Values from before a suspend are not current, and the service may have ended the connection during the suspend. */
  private onSuspend(ms: number): void {
    this.reconciler.open?.requireAnswer()
    this.perform(this.subscriptions.onSuspend(ms, this.config.clock.elapsed()))
  }

  private readonly onUnsubscribe = (subscriber: PriceSubscription, state: TopicState): void => {
    if (subscriber.hasFailed) this.firstEvents.onRefused(state)
    this.subscriptions.removeSubscriber(state, subscriber, this.config.clock.elapsed())
    this.reconciler.schedule()
  }

  /** The event that a new subscriber receives now, if there is one. */
  private firstEventOf(state: TopicState, { position }: PriceSubscriber): PriceEventFactory | undefined {
    const { config, lag } = this
    const now = config.clock.elapsed()
    if (state.live && lag?.isCurrentAt(now) === false) {
      // The subscribers before this one have the price.
      if (!state.held) state.deliveredUpTo = position - 1
      state.held = true
      lag.onHeld(now)
    }
    const { currentFailure } = this.reconciler
    if (currentFailure !== undefined) return failureEvent(() => currentFailure)
    // A held price is delivered to all subscribers, or replaced by `Stale`.
    if (state.live && state.held) return undefined
    return initialEvent(state, config, now, lag?.isBehind === true ? lag.ms : undefined)
  }

  /** `undefined` if the connection is not open. */
  get lag(): Lag | undefined {
    return this.reconciler.open?.lag
  }

  /** Only this method notifies, after the state has changed. A handler may change the state again. */
  private perform(effects: readonly Effect[]): void {
    this.reconciler.scheduleIfNeeded()
    for (const effect of effects) this.performOne(effect)
  }

  private performOne(effect: Effect): void {
    const { host, publish } = this.config
    switch (effect._tag) {
      case 'Deliver':
        return this.deliver(effect.delivery)
      case 'DeliverPrice':
        this.deliverPrice(effect.state, this.reconciler.open)
        return
      case 'Held':
        return this.lag?.onHeld(effect.at)
      case 'Confirmed':
        return this.onConfirmed(effect.state, effect.confirmMs)
      case 'ProbeAnswered':
        this.reconciler.open?.onAnswer()
        this.config.probeSupport.isProven = true
        return
      case 'Undecodable': {
        const { topic, error } = effect
        return publish('svc-streams:decode-error', () => ({ host, topic, error }))
      }
      case 'Uncorrelated': {
        const { error } = effect
        publish('svc-streams:uncorrelated', () => ({ host, error }))
        return this.owner.onUncorrelated(error)
      }
      default:
        return assertNever(effect)
    }
  }

  private onConfirmed(state: TopicState, confirmMs: number): void {
    const { host, publish } = this.config
    const { open } = this.reconciler
    const { topic } = state
    open?.socket.onAnswer()
    for (const { onConfirmed } of subscribersIn(state)) onConfirmed?.()
    publish('svc-streams:subscribed', () => ({ host, topic, epoch: open?.epoch ?? 0, confirmMs }))
    if (open?.lag.isBehind === true) this.deliverStale(state)
  }

  private deliverStale(state: TopicState, behindMs = this.lag?.ms): void {
    const eventFor = staleEvent(state, this.config.clock.elapsed(), behindMs)
    this.deliver({ subscribers: subscribersIn(state), eventFor })
  }

  private deliver(delivery: Delivery): void {
    publishFailure(this.config, deliver(delivery))
  }
}

const isAlwaysCurrent = (): boolean => true
