import type { Publish } from '../../base/diagnostics/messages.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { UncorrelatedError } from '../../base/errors/model.js'
import type { Clock } from '../../base/time/clock.js'
import type { ProbeSupport } from '../../wire/socket/liveness.js'
import type { Session } from '../../wire/socket/session.js'
import { publishFailure, staleEvent } from './price-events.js'
import { deliver, deliverPrice, subscribersIn, type Delivery } from './subscribers.js'
import type { Effect } from './subscriptions.js'
import { lastPrice, type SubscribedTopic } from './topics.js'

export interface EffectConfig {
  readonly clock: Clock
  /** Host and port of the service. */
  readonly host: string
  readonly publish: Publish
  readonly probeSupport: ProbeSupport
  readonly onUncorrelated: (error: UncorrelatedError) => void
}

/** The connection whose state has changed. A handler of a subscriber may change it again, or close it. */
interface ChangedConnection {
  /** The open connection, if there is one. */
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

  /** False if the handler of a subscriber took so long that the remaining ones receive the price later, or not at all. */
  deliverPrice(state: SubscribedTopic, session: Session | undefined, after?: number): boolean {
    if (deliverPrice(state, session?.mayDeliver ?? always, after)) return true
    state.held = { hasReplaced: true, deliveredUpTo: 0 }
    session?.lag.onHeld(this.config.clock.elapsed())
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
      if (lag?.mayDeliverNow() === false) return lag.onHeld(this.config.clock.elapsed())
      state.held = undefined
      if (state.live && held.hasReplaced) this.deliverStale(state, behindMs)
      if (!state.live || lastPrice(state) === undefined) continue
      if (!this.deliverPrice(state, this.connection.session, held.deliveredUpTo)) return
    }
  }

  publishBehind(now: number, behindMs: number, topics: number): void {
    const { host, publish } = this.config
    this.behindSince = now
    publish('svc-streams:behind', () => ({ host, epoch: this.epoch, behindMs, topics }))
  }

  publishCaughtUp(now: number, topics: number): void {
    const { host, publish } = this.config
    const behindForMs = Math.round(now - this.behindSince)
    publish('svc-streams:caught-up', () => ({ host, epoch: this.epoch, behindForMs, topics }))
  }

  private get epoch(): number {
    return this.connection.session?.epoch ?? 0
  }

  private performOne(effect: Effect): void {
    const { host, publish, probeSupport } = this.config
    const { session } = this.connection
    switch (effect._tag) {
      case 'Deliver':
        return this.deliver(effect.delivery)
      case 'DeliverPrice':
        this.deliverPrice(effect.state, session)
        return
      case 'Held':
        return session?.lag.onHeld(effect.at)
      case 'Confirmed':
        return this.onConfirmed(effect.state, effect.confirmMs)
      case 'ProbeAnswered':
        session?.onProbeAnswered()
        probeSupport.isProven = true
        return
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
    const { host, publish } = this.config
    const { session } = this.connection
    const { topic } = state
    session?.socket.onRead()
    for (const { onConfirmed } of subscribersIn(state)) onConfirmed?.()
    publish('svc-streams:subscribed', () => ({ host, topic, epoch: this.epoch, confirmMs }))
    if (session?.lag.isBehind === true) this.deliverStale(state, session.lag.ms)
  }

  private deliverStale(state: SubscribedTopic, behindMs: number | undefined): void {
    const eventFor = staleEvent(state, this.config.clock.elapsed(), behindMs)
    this.deliver({ subscribers: subscribersIn(state), eventFor })
  }

  private deliver(delivery: Delivery): void {
    publishFailure(this.config, deliver(delivery))
  }
}

const always = (): boolean => true
