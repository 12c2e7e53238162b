import type { Secrets } from '../../wire/auth/secrets.js'
import { drainingFrame, readFrame, type Frame, type MalformedFrame } from '../../wire/codec/price-frame.js'
import type { CreatePriceFrames } from '../../wire/platform/platform.js'
import type { FrameSink, Session } from '../../wire/socket/session.js'
import { assertNever } from '../../base/domain/assert-never.js'
import { type Address, baseAddressOf, type Topic } from '../../base/domain/topic.js'
import { hexOf, latin1Bytes, latin1Of } from '../../base/domain/bytes.js'
import { uncorrelatedError } from '../../base/errors/constructors.js'
import type { UncorrelatedError } from '../../base/errors/model.js'
import { maxTextLength, truncate } from '../../base/errors/text.js'
import { TickClock, type Clock } from '../../base/time/clock.js'
import type { EchoedTopic } from './sent-frames.js'
import { failTopic, type Effect, type EffectPerformer } from './effects.js'
import { deliverPrice, type PriceEventFactory } from './subscribers.js'
import type { Subscriptions } from './subscriptions.js'
import {
  countPrice,
  isUnconfirmed,
  phaseOf,
  setPosition,
  staleEvent,
  type SubscribedTopic,
} from './topics.js'

export interface FrameReceiverConfig {
  readonly clock: Clock
  readonly service: string
  /** Redacted from errors, because a frame may repeat them. */
  readonly secrets: Secrets
  readonly createPriceFrames: CreatePriceFrames | undefined
  /** A price is held because it may be older than `maxLag`. */
  readonly onHeld: () => void
  /** The gateway has announced that it will close the connection. */
  readonly onDraining: () => void
  /**
   * The prices are no longer current. Called before the subscribers receive it, because another line may take them over.
   * Returns the deliveries to those whose topic has no current price there. `eventFor`: the failure of a topic.
   */
  readonly onFailing: (eventFor: FailureOf) => readonly Effect[]
}

/** Builds the failure of a topic, from its state on the line that fails. */
export type FailureOf = (state: SubscribedTopic) => PriceEventFactory

/** The connection that receives the frames. */
interface ReceivingConnection {
  readonly session: Session | undefined
  /** Schedules the frames that are due. */
  scheduleIfNeeded(): void
  /** Does the same, then performs the effects. */
  perform(effects: readonly Effect[]): void
  /** Shows that the connection is open. `behindMs`: defined if the prices may be older than `maxLag`. */
  setOpen(behindMs?: number): void
}

type PriceUpdateFrame = Extract<Frame, { readonly _tag: 'PriceUpdate' }>

type OtherFrame = Exclude<Frame | MalformedFrame, PriceUpdateFrame>

/** The maximum number of bytes of a binary frame that an error contains, as two hexadecimal digits each. */
const maxShownBytes = maxTextLength / 2

/** The frames of one connection: each changes the state of the subscriptions, then the subscribers are notified. */
export class FrameReceiver implements FrameSink {
  private readonly tickClock: TickClock

  constructor(
    private readonly config: FrameReceiverConfig,
    private readonly subscriptions: Subscriptions,
    private readonly connection: ReceivingConnection,
    private readonly performer: EffectPerformer,
  ) {
    this.tickClock = new TickClock(config.clock)
  }

  /** The ms since the last price of a topic that has one; 0 while that price is delivered. */
  ageOf({ lastActivityAt }: SubscribedTopic): number {
    // The clock of the tick in which the price arrived: time spent in a busy event loop does not count.
    this.tickClock.refresh()
    return Math.max(0, this.tickClock.elapsed - lastActivityAt)
  }

  /**
   * The fast path, for a price of a live topic. Such a price only postpones the topic's deadline and needs no frame, so
   * it neither sets the timer nor schedules `reconcile()`. Returns false if the frame needs the slow path. This
   * includes every price that may be older than `maxLag`.
   */
  onBytes(memory: Uint8Array, start: number, end: number): boolean {
    const { pricePatterns } = this.subscriptions
    if (pricePatterns === undefined) return false
    const state = pricePatterns.recognise(memory, start, end)
    const { tickClock } = this
    // Between prices without a subscriber, as on a line that stands by, no handler takes time.
    if (state?.first === undefined) tickClock.refresh()
    else tickClock.advance()
    const { elapsed } = tickClock
    const { session } = this.connection
    if (session === undefined) return false
    const { lag } = session
    if (elapsed >= lag.checkAt) {
      lag.onFrame(elapsed)
      if (!lag.isInTime(elapsed)) return false
    }
    if (!state?.live) return false
    state.lastActivityAt = elapsed
    state.price = pricePatterns.price
    state.receivedAt = tickClock.wallClock
    state.epoch = session.epoch
    state.count++
    if (!deliverPrice(state, session.mayDeliver)) this.performer.onSlowHandler(state, session)
    return true
  }

  onText(text: string): void {
    this.tickClock.advance()
    if (text === drainingFrame) return this.config.onDraining()
    const frame = readFrame(text)
    if (frame._tag === 'PriceUpdate') this.onPriceUpdate(frame, text)
    else this.connection.perform(this.onOtherFrame(frame, text))
  }

  onBinary(frame: Uint8Array): void {
    // Redacted before the conversion, because the bytes may be the text of a secret.
    const shown = this.config.secrets.redact(latin1Of(frame.subarray(0, maxShownBytes)))
    this.connection.perform([this.uncorrelated('binary', hexOf(latin1Bytes(shown)))])
  }

  onBehind(behindMs: number): void {
    const now = this.config.clock.elapsed()
    const taken = this.config.onFailing((state) => staleEvent(state, now, behindMs))
    const effects = this.subscriptions.onBehind(now, behindMs)
    this.performer.publishBehind(now, behindMs, effects.length)
    this.connection.setOpen(behindMs)
    this.connection.perform([...taken, ...effects])
  }

  onCaughtUp(wasBehind: boolean, behindMs: number): void {
    const now = this.config.clock.elapsed()
    const held = this.subscriptions.onCaughtUp(now)
    this.connection.scheduleIfNeeded()
    if (wasBehind) {
      this.performer.publishCaughtUp(now, held.length)
      this.connection.setOpen()
    }
    this.performer.deliverHeld(held, behindMs)
  }

  private onPriceUpdate(frame: PriceUpdateFrame, text: string): void {
    const { session } = this.connection
    if (session === undefined) return
    session.prices++
    // The clock of the tick, as in `ageOf`: a gateway sends the price within the tick, and its age must not decrease.
    const at = this.tickClock.elapsed
    const { lag, epoch } = session
    lag.onFrame(at)
    const behindMs = lag.isInTime(at) ? undefined : lag.heldMs
    this.connection.perform(this.onPrice(frame, text, epoch, at, behindMs))
    if (behindMs === undefined || session !== this.connection.session) return
    lag.onHeld(at)
    this.config.onHeld()
  }

  /**
   * A price that matches no topic becomes an `UncorrelatedError`. `at`: monotonic, in ms. `behindMs`: the upper bound of its age
   * if it may be older than `maxLag`; `undefined` if it is current.
   */
  private onPrice(
    { topic, price, age: statedAge, position }: PriceUpdateFrame,
    text: string,
    epoch: number,
    at: number,
    behindMs: number | undefined,
  ): readonly Effect[] {
    const { subscriptions } = this
    const { clock, service } = this.config
    const base = baseAddressOf(topic, service)
    if (base === undefined) return [this.uncorrelated('unknown-topic', text)]
    const state = subscriptions.topics.requested(base)
    if (state === undefined) {
      if (subscriptions.sentFrames.mayBeLate(base, at)) return []
      subscriptions.sentFrames.onUnrequestedPrice(withoutQuote(topic, base, service), at)
      return [this.uncorrelated('unknown-topic', text)]
    }
    countPrice(state, position)
    const isInTime = behindMs === undefined
    // A gateway may have dropped a newer price when the client left the topic: the answer to a probe would not prove this one.
    if (!isInTime && state.wasLeft && isUnconfirmed(state)) return []
    // The age of a held price counts from its sending: it may be as old as the newest answered probe.
    const age = isInTime ? statedAge : Math.max(statedAge ?? 0, behindMs)
    const receivedAt = age === undefined ? clock.wallClock() : Math.round(clock.wallClock() - age)
    const before = phaseOf(state)
    const effects = subscriptions.onPrice(state, { price, receivedAt, epoch }, at, age, !isInTime)
    // Later frames of the topic have neither, so their layout differs.
    if (statedAge === undefined && position === undefined) state.framePattern ??= this.learn(text, state)
    if (!isInTime) return effects
    if (state.live) return [...effects, { _tag: 'DeliverPrice', state }]
    // While the connection is behind, the subscribers know.
    if (before === 'stale' || before === 'unreadable' || subscriptions.isBehind) return effects
    // The age of the price is at least `staleAfter`: it is no value.
    return [...effects, failTopic(state, staleEvent(state, at))]
  }

  private learn(text: string, state: SubscribedTopic): SubscribedTopic['framePattern'] {
    const { subscriptions, config } = this
    subscriptions.pricePatterns ??= config.createPriceFrames?.()
    return subscriptions.pricePatterns?.learn(text, state) ?? 'not learnable'
  }

  /** A frame that matches no topic becomes an `UncorrelatedError`. */
  private onOtherFrame(frame: OtherFrame, text: string): readonly Effect[] {
    switch (frame._tag) {
      case 'Confirmation':
        return this.onConfirmation(frame, text)
      case 'ErrorText':
        return this.onErrorText(text)
      case 'Malformed':
        return this.onMalformed(frame, text)
      default:
        return assertNever(frame)
    }
  }

  private onConfirmation(
    { subscriptions: topics, position }: Extract<Frame, { readonly _tag: 'Confirmation' }>,
    text: string,
  ): readonly Effect[] {
    const { subscriptions } = this
    const { clock, service } = this.config
    const positioned = position && baseAddressOf(position.topic, service)
    const state = positioned && subscriptions.topics.requested(positioned)
    if (position !== undefined && state !== undefined) setPosition(state, position)
    const now = clock.elapsed()
    const bases = topics.map((topic) => baseAddressOf(topic, service))
    const ours = bases.filter((base) => base !== undefined)
    const hasForeignTopic = ours.length < topics.length
    // A list of foreign topics alone answers no frame.
    const effects = hasForeignTopic && ours.length === 0 ? [] : subscriptions.onConfirmation(ours, now)
    topics.forEach((topic, index) => {
      const base = bases[index]
      if (base !== undefined && subscriptions.topics.requested(base) === undefined)
        subscriptions.sentFrames.onListed(withoutQuote(topic, base, service), now)
    })
    if (hasForeignTopic) effects.push(this.uncorrelated('unknown-topic', text))
    return effects
  }

  private onErrorText(text: string): readonly Effect[] {
    const { clock, secrets } = this.config
    const shown = secrets.redact(truncate(text))
    const delivery = this.subscriptions.onErrorText(text, clock.elapsed(), shown)
    return [delivery === undefined ? this.uncorrelated('error-text', text) : { _tag: 'Deliver', ...delivery }]
  }

  private onMalformed({ topic, error: unsafeError }: MalformedFrame, text: string): readonly Effect[] {
    const { subscriptions } = this
    const { clock, service, secrets } = this.config
    const error = secrets.redactError(unsafeError)
    const base = topic === undefined ? undefined : baseAddressOf(topic, service)
    const state = base === undefined ? undefined : subscriptions.topics.requested(base)
    const undecodable: Effect = { _tag: 'Undecodable', topic: state?.topic, error }
    if (state !== undefined) return [undecodable, subscriptions.onUnreadable(state, error)]
    const isLate = base !== undefined && subscriptions.sentFrames.mayBeLate(base, clock.elapsed())
    return isLate ? [undecodable] : [undecodable, this.uncorrelated('malformed', text)]
  }

  private uncorrelated(kind: UncorrelatedError['kind'], text: string): Effect {
    const error = this.config.secrets.redactError(uncorrelatedError(kind, text))
    return { _tag: 'Uncorrelated', error }
  }
}

/** The topic in the spelling of the service, without a quote address. */
const withoutQuote = (topic: string, base: Address, service: string): EchoedTopic => ({
  base,
  topic: topic.slice(0, service.length + 1 + base.length) as Topic,
})
