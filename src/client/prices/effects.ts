import { isLeft } from 'fp-ts/lib/Either.js'
import type { DiagnosticMessages, Publish } from '../../base/diagnostics/messages.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Topic } from '../../base/domain/topic.js'
import type { DecodeError, UncorrelatedError } from '../../base/errors/model.js'
import type { Clock } from '../../base/time/clock.js'
import type { Host } from '../../wire/socket/reconnecting.js'
import type { Session } from '../../wire/socket/session.js'
import { deliver, deliverPrice, subscribersIn, type Delivery, type PriceEventFactory } from './subscribers.js'
import { lastPrice, staleEvent, type SubscribedTopic } from './topics.js'

/** The effects that the owner of the connection must perform after a change of the subscriptions, in this order. */
export type Effect =
  | ({ readonly _tag: 'Deliver' } & Delivery)
  /** The last price of the topic is delivered. */
  | { readonly _tag: 'DeliverPrice'; readonly state: SubscribedTopic }
  /** The service has confirmed the topic, `confirmMs` ms after its subscribe frame. */
  | { readonly _tag: 'Confirmed'; readonly state: SubscribedTopic; readonly confirmMs: number }
  /** The service has answered the probe that was sent at this time, monotonic, in ms. */
  | { readonly _tag: 'ProbeAnswered'; readonly sentAt: number }
  | { readonly _tag: 'Switched'; readonly message: DiagnosticMessages['svc-streams:switched'] }
  | { readonly _tag: 'Undecodable'; readonly topic: Topic | undefined; readonly error: DecodeError }
  | { readonly _tag: 'Uncorrelated'; readonly error: UncorrelatedError }

export interface EffectConfig {
  readonly clock: Clock
  readonly publish: Publish
  readonly onUncorrelated: (error: UncorrelatedError) => void
}

/** The connection whose state has changed. A handler of a subscriber may change it again, or close it. */
interface ChangedConnection {
  readonly host: Host
  readonly session: Session | undefined
}

/** The only place that notifies subscribers after their first event: called after the state has changed. */
export class EffectPerformer {
  /** When the connection fell behind: monotonic, in ms. */
  private behindSince = 0

  constructor(
    private readonly config: EffectConfig,
    private readonly connection: ChangedConnection,
  ) {}

  perform(effects: readonly Effect[]): void {
    for (const effect of effects) this.performOne(effect)
  }

  /** The handler of a subscriber took so long that the remaining ones receive the price later, or not at all. */
  onSlowHandler(state: SubscribedTopic, session: Session | undefined): void {
    state.held = { hasReplaced: true, deliveredUpTo: 0 }
    session?.lag.onHeld(this.config.clock.elapsed())
  }

  /** False after `onSlowHandler`. */
  private deliverPrice(state: SubscribedTopic, after?: number): boolean {
    const { session } = this.connection
    if (deliverPrice(state, session?.mayDeliver ?? always, after)) return true
    this.onSlowHandler(state, session)
    return false
  }

  /**
   * Delivers the held prices, until the handlers took so long that the next price may be older than `maxLag` again.
   * `behindMs`: the upper bound of the age when the first price was held.
   */
  deliverHeld(states: readonly SubscribedTopic[], behindMs: number): void {
    for (const state of states) {
      const { held } = state
      if (held === undefined) continue
      const lag = this.connection.session?.lag
      if (lag?.isInTime() === false) return lag.onHeld(this.config.clock.elapsed())
      state.held = undefined
      if (state.live && held.hasReplaced) this.deliverStale(state, behindMs)
      if (!state.live || lastPrice(state) === undefined) continue
      state.failure = undefined
      const { delivered, isSwitched } = held
      const { deliveredUpTo } = isSwitched === true && delivered?.price === state.price ? delivered : held
      if (!this.deliverPrice(state, deliveredUpTo)) return
    }
  }

  publishBehind(now: number, behindMs: number, topics: number): void {
    const { publish } = this.config
    const { host } = this
    this.behindSince = now
    publish('svc-streams:behind', () => ({ host, epoch: this.epoch, behindMs, topics }))
  }

  publishCaughtUp(now: number, topics: number): void {
    const { publish } = this.config
    const { host } = this
    const behindForMs = Math.round(now - this.behindSince)
    publish('svc-streams:caught-up', () => ({ host, epoch: this.epoch, behindForMs, topics }))
  }

  private get host(): string {
    return this.connection.host.name
  }

  private get epoch(): number {
    return this.connection.session?.epoch ?? 0
  }

  private performOne(effect: Effect): void {
    const { publish } = this.config
    const { host } = this
    const { session } = this.connection
    switch (effect._tag) {
      case 'Deliver':
        return this.deliver(effect)
      case 'DeliverPrice':
        // A subscriber of a diagnostics channel may have closed the client since, which leaves no topic live.
        if (effect.state.live) this.deliverPrice(effect.state)
        return
      case 'Confirmed':
        return this.onConfirmed(effect.state, effect.confirmMs)
      case 'ProbeAnswered':
        return session?.lag.onAnswer(effect.sentAt)
      case 'Switched': {
        const { message } = effect
        return publish('svc-streams:switched', () => message)
      }
      case 'Undecodable': {
        const { topic, error } = effect
        return publish('svc-streams:decode-error', () => ({ host, topic, error }))
      }
      case 'Uncorrelated': {
        const { error } = effect
        publish('svc-streams:uncorrelated', () => ({ host, error }))
        return this.config.onUncorrelated(error)
      }
      default:
        return assertNever(effect)
    }
  }

  private onConfirmed(state: SubscribedTopic, confirmMs: number): void {
    const { publish } = this.config
    const { host } = this
    const { session } = this.connection
    const { topic } = state
    session?.socket.onRead()
    for (const { onConfirmed } of subscribersIn(state)) onConfirmed?.()
    publish('svc-streams:subscribed', () => ({ host, topic, epoch: this.epoch, confirmMs }))
    if (session?.lag.isBehind === true) this.deliverStale(state, session.lag.ms)
  }

  private deliverStale(state: SubscribedTopic, behindMs: number | undefined): void {
    this.deliver(failTopic(state, staleEvent(state, this.config.clock.elapsed(), behindMs)))
  }

  /** Publishes the failure too: the socket publishes `Disconnected`, and the frame handler `DecodeError`. */
  private deliver(delivery: Delivery): void {
    const event = deliver(delivery)
    if (event === undefined || !isLeft(event)) return
    const { publish } = this.config
    const { host } = this
    const error = event.left
    if (error._tag === 'SubscriptionRejected') publish('svc-streams:rejected', () => ({ host, error }))
    if (error._tag === 'SubscriptionTimeout') publish('svc-streams:unanswered', () => ({ host, error }))
    if (error._tag === 'Stale') publish('svc-streams:stale', () => ({ host, error }))
  }
}

const always = (): boolean => true

type DeliverEffect = Extract<Effect, { readonly _tag: 'Deliver' }>

/** No price of the topic is current: late subscribers receive the failure too. */
export const failTopic = (state: SubscribedTopic, eventFor: PriceEventFactory): DeliverEffect => {
  state.failure = { eventFor }
  return deliveryTo(state, eventFor)
}

export const deliveryTo = (state: SubscribedTopic, eventFor: PriceEventFactory): DeliverEffect => ({
  _tag: 'Deliver',
  subscribers: subscribersIn(state),
  eventFor,
})
