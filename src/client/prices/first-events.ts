import { isLeft } from 'fp-ts/lib/Either.js'
import type { Subscriber, Subscription, Unsubscribable } from 'rxjs'
import type { Address } from '../../base/domain/address.js'
import type { Topic } from '../../base/domain/topic.js'
import type { Disconnected } from '../../base/errors/model.js'
import { safeNext } from '../../base/task/safe-notify.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import { maxRefusals, RepeatCount, repeatDelay } from '../../base/time/backoff.js'
import type { Session } from '../../wire/socket/session.js'
import { failureEvent, initialEvent } from './price-events.js'
import type { PriceEvent, PriceEventFactory, PriceSubscriber } from './subscribers.js'
import type { SubscribedTopic, TopicTimeouts } from './topics.js'

/** The connection whose current event a new subscriber receives. */
export interface FirstEventSource {
  /** The open connection, if there is one. */
  readonly session: Session | undefined
  /** Changes when the connection fails again. */
  readonly currentFailure: Disconnected | undefined
}

export interface FirstEventsConfig extends TopicTimeouts {
  readonly clock: Clock
}

/** Interval of the checks whether the data of a socket are current, in ms. */
const socketCheckInterval = 20

/** Delivers the first event to each new subscriber. After `maxRefusals`, a failure comes in a later turn. */
export class FirstEvents {
  /** The number of subscribers of each topic that left, in this turn of the event loop, upon a failure. */
  private readonly refusals = new Map<Address, number>()
  /** The subscribers of each topic that received a failure in a later turn. */
  private readonly repeats = new Map<Address, RepeatCount>()
  private refusalTimer: Subscription | undefined
  /** The subscribers whose first event was a failure. */
  private readonly failed = new WeakSet<PriceSubscription>()

  constructor(
    private readonly config: FirstEventsConfig,
    private readonly source: FirstEventSource,
  ) {}

  deliver(subscription: PriceSubscription, state: SubscribedTopic): void {
    const event = this.eventOf(state, subscription)?.(subscription.topic)
    if (event === undefined) return
    const refusals = this.refusals.get(state.base) ?? 0
    if (isLeft(event) && refusals >= maxRefusals)
      return this.repeatLater(subscription, state, this.nextRepeatDelay(state))
    if (!isLeft(event) && !this.isUpToDate) return this.repeatLater(subscription, state, socketCheckInterval)
    this.emit(subscription, event)
  }

  onLeft(subscription: PriceSubscription, { base }: SubscribedTopic): void {
    const { refusals } = this
    if (!this.failed.has(subscription)) return
    if (refusals.size === 0) this.refusalTimer = delay(this.config.clock, 0, () => refusals.clear())
    refusals.set(base, (refusals.get(base) ?? 0) + 1)
  }

  /** Called when the connection fails again. */
  onDown(): void {
    this.repeats.clear()
  }

  close(): void {
    this.refusalTimer?.unsubscribe()
  }

  /** False if the last prices may be out of date, by the transport or by `maxLag`. */
  private get isUpToDate(): boolean {
    return this.source.session?.isUpToDate() ?? true
  }

  /** The event that a new subscriber receives now, if there is one. */
  private eventOf(state: SubscribedTopic, { position }: PriceSubscriber): PriceEventFactory | undefined {
    const { config, source } = this
    const now = config.clock.elapsed()
    const lag = source.session?.lag
    if (state.live && lag?.mayDeliverAt(now) === false) {
      // The subscribers before this one have the price.
      state.held ??= { hasReplaced: false, deliveredUpTo: position - 1 }
      lag.onHeld(now)
    }
    const { currentFailure } = source
    if (currentFailure !== undefined) return failureEvent(() => currentFailure)
    // A held price is delivered to all subscribers, or replaced by `Stale`.
    if (state.live && state.held !== undefined) return undefined
    return initialEvent(state, config, now, lag?.isBehind === true ? lag.ms : undefined)
  }

  private nextRepeatDelay(state: SubscribedTopic): number {
    const repeats = this.repeats.get(state.base) ?? new RepeatCount()
    this.repeats.set(state.base, repeats)
    return repeatDelay(repeats.next(this.causeOf(state)))
  }

  /**
   * Changes when a newer event replaces the current one. Also changes for a `Stale`, which has the activity time of the
   * price before it, and for a price of the same tick, which has the same time.
   */
  private causeOf({ live, lastActivityAt, price }: SubscribedTopic): unknown {
    return this.source.currentFailure ?? (live ? `${price} ${lastActivityAt}` : -lastActivityAt)
  }

  /** Delivers the first event after `ms` ms, unless a newer event has replaced it. */
  private repeatLater(subscription: PriceSubscription, state: SubscribedTopic, ms: number): void {
    const before = this.causeOf(state)
    const waiting = delay(this.config.clock, ms, () => {
      // Removes it from the subscriber.
      waiting.unsubscribe()
      if (this.causeOf(state) !== before) return
      // The price is not held for this subscriber, because later subscribers may have received it.
      if (state.live && !this.isUpToDate) return this.repeatLater(subscription, state, socketCheckInterval)
      const event = this.eventOf(state, subscription)?.(subscription.topic)
      if (event === undefined) return
      this.emit(subscription, event)
    })
    subscription.subscriber.add(waiting)
  }

  private emit(subscription: PriceSubscription, event: PriceEvent): void {
    if (isLeft(event)) this.failed.add(subscription)
    // After an exception here, the caller could not remove the subscriber.
    safeNext(subscription.subscriber, event)
  }
}

/** A subscriber and its teardown in one object: a topic may have many subscribers, and a closure each costs memory. */
export class PriceSubscription implements PriceSubscriber, Unsubscribable {
  position = 0
  previous: PriceSubscriber | undefined
  next: PriceSubscriber | undefined
  /** Set once the subscriber is added. */
  state: SubscribedTopic | undefined

  constructor(
    readonly topic: Topic,
    readonly subscriber: Subscriber<PriceEvent>,
    readonly onConfirmed: (() => void) | undefined,
    private readonly onUnsubscribe: (subscriber: PriceSubscription, state: SubscribedTopic) => void,
  ) {}

  unsubscribe(): void {
    if (this.state !== undefined) this.onUnsubscribe(this, this.state)
  }
}
