import type { Secrets } from '../auth/secrets.js'
import { readFrame, type Frame } from '../codec/price-frame.js'
import type { Publish } from '../diagnostics/messages.js'
import { assertNever } from '../domain/assert-never.js'
import type { Address } from '../domain/address.js'
import { hexOf, latin1Bytes, latin1Of } from '../domain/bytes.js'
import { baseAddressOf, type Topic } from '../domain/topic.js'
import { uncorrelatedError } from '../errors/constructors.js'
import type { DecodeError, UncorrelatedError } from '../errors/model.js'
import { maxTextLength, truncate } from '../errors/text.js'
import type { FrameSink } from '../socket/session.js'
import type { Clock } from '../time/clock.js'
import type { TickClock } from '../time/tick-clock.js'
import { deliver, deliverPrice } from './fan-out.js'
import { failureEvent, staleEvent } from './price-events.js'
import { publishFailure } from './publish-failure.js'
import type { EchoedTopic } from './acks/orphans.js'
import type { Lag } from './lag.js'
import { subscribersIn } from './subscriber-list.js'
import type { Subscriptions } from './subscriptions.js'
import type { TopicState } from './topic-state.js'

export interface FrameHandlerContext {
  readonly clock: Clock
  /** The clock of the connection. */
  readonly tickClock: TickClock
  readonly subscriptions: Subscriptions
  readonly lag: Lag
  /** The name of the service, for example `svc`. */
  readonly service: string
  /** The name of the connection in diagnostics. */
  readonly host: string
  readonly publish: Publish
  /** Redacted from errors: a frame may repeat them. */
  readonly secrets: Secrets
  readonly epoch: () => number
  /** True while frames may be from before a suspend of the machine, or from a freeze of the page. */
  readonly isAnswerMissing: () => boolean
  /** Called when the service answers a probe. */
  readonly onProbeAnswered: () => void
  readonly onUncorrelated: (error: UncorrelatedError) => void
  /** Called when the subscriptions have changed, before any subscriber is notified. */
  readonly onChange: () => void
}

type PriceUpdateFrame = Extract<Frame, { readonly _tag: 'PriceUpdate' }>

/** The maximum number of bytes of a binary frame that an error contains, as two hexadecimal digits each. */
const maxShownBytes = maxTextLength / 2

/**
 * Handles each frame of the service: updates the subscriptions first, then notifies the subscribers. A frame that
 * matches no topic becomes an `UncorrelatedError`.
 */
export class FrameHandler implements FrameSink {
  textPrices = 0
  private readonly tickClock: TickClock
  private readonly lag: Lag

  constructor(private readonly context: FrameHandlerContext) {
    this.tickClock = context.tickClock
    this.lag = context.lag
  }

  /**
   * The fast path, for a price of a live topic. Such a price only postpones the topic's deadline and needs no frame,
   * so it neither sets the timer nor schedules `reconcile()`. Returns false if the frame needs the slow path, as every
   * price that may be older than `maxLag`.
   */
  onBytes(memory: Uint8Array, start: number, end: number): boolean {
    const { pricePatterns } = this.context.subscriptions
    const state = pricePatterns.recognise(memory, start, end)
    const { tickClock, lag } = this
    // Before `live` is read: after a suspend, no topic is live, and a probe may find the socket broken.
    tickClock.advance()
    const { elapsed } = tickClock
    if (elapsed >= lag.checkAt && !lag.isCurrentAt(elapsed)) return false
    if (!state?.live) return false
    state.lastActivityAt = elapsed
    state.price = pricePatterns.price
    state.receivedAt = tickClock.wallClock
    state.epoch = this.context.epoch()
    deliverPrice(state)
    return true
  }

  onText(text: string): void {
    this.tickClock.advance()
    const frame = readFrame(text)
    switch (frame._tag) {
      case 'PriceUpdate':
        return this.onPriceUpdate(frame, text)
      case 'Confirmation':
        return this.onConfirmation(frame.subscriptions, text)
      case 'ErrorText':
        return this.onErrorText(text)
      case 'Malformed':
        return this.onMalformed(frame.topic, frame.error, text)
      default:
        return assertNever(frame)
    }
  }

  onTick(): void {
    this.tickClock.refresh()
  }

  onAnswer(sentAt: number): void {
    this.lag.onAnswer(sentAt)
  }

  onBinary(frame: Uint8Array): void {
    // Redacted before the conversion, because the bytes may be the text of a secret.
    const shown = this.context.secrets.redact(latin1Of(frame.subarray(0, maxShownBytes)))
    this.reportUncorrelated('binary', hexOf(latin1Bytes(shown)))
  }

  private onPriceUpdate({ topic, price, age }: PriceUpdateFrame, text: string): void {
    this.textPrices++
    if (this.context.isAnswerMissing()) return
    const { clock, subscriptions, service, epoch, onChange } = this.context
    const base = baseAddressOf(topic, service)
    // The clock of the tick, as in `priceAge`: a gateway passes the price on within it, and its age must not shrink.
    const now = this.tickClock.elapsed
    const receivedAt = age === undefined ? clock.wallClock() : Math.round(clock.wallClock() - age)
    const received = { price, receivedAt, epoch: epoch() }
    const wasStale = base !== undefined && subscriptions.isStale(base)
    const isCurrent = this.lag.isCurrentAt(now)
    const state = base === undefined ? undefined : subscriptions.onPrice(base, received, now, age)
    if (state !== undefined) {
      onChange()
      // The later frames of the topic have no age, which is another layout.
      if (age === undefined)
        state.framePattern ??= subscriptions.pricePatterns.learn(text, state) ?? 'not learnable'
      if (!isCurrent) this.hold(state, now)
      else if (state.live) deliverPrice(state)
      else if (!wasStale) this.deliverStale(state, now)
    } else if (base === undefined || !subscriptions.isRecentlyUnsubscribed(base, now)) {
      if (base !== undefined) subscriptions.orphans.onPrice(withoutQuote(topic, base, service), now)
      onChange()
      this.reportUncorrelated('unknown-topic', text)
    }
  }

  private hold(state: TopicState, now: number): void {
    if (!this.lag.isBehind) state.skipped ||= state.held
    state.held = true
    this.lag.onHeld(now)
  }

  /** A price of a gateway whose age is at least `staleAfter` is not delivered as a value. */
  private deliverStale(state: TopicState, now: number): void {
    publishFailure(
      this.context,
      deliver({ subscribers: subscribersIn(state), eventFor: staleEvent(state, now) }),
    )
  }

  private onConfirmation(topics: readonly string[], text: string): void {
    const { clock, subscriptions, service } = this.context
    const now = clock.elapsed()
    if (subscriptions.acks.probes.onConfirmation()) this.context.onProbeAnswered()
    let hasForeignTopic = false
    for (const topic of topics) {
      const base = baseAddressOf(topic, service)
      if (base === undefined) hasForeignTopic = true
      else if (!subscriptions.onConfirmation(base, now))
        subscriptions.orphans.onConfirmation(withoutQuote(topic, base, service), now)
    }
    this.context.onChange()
    if (hasForeignTopic) this.reportUncorrelated('unknown-topic', text)
  }

  private onErrorText(text: string): void {
    const { clock, subscriptions, secrets } = this.context
    const delivery = subscriptions.onErrorText(text, clock.elapsed(), secrets.redact(truncate(text)))
    this.context.onChange()
    if (delivery === undefined) this.reportUncorrelated('error-text', text)
    else publishFailure(this.context, deliver(delivery))
  }

  private onMalformed(topic: string | undefined, unsafeError: DecodeError, text: string): void {
    const { clock, subscriptions, service, host, publish, secrets } = this.context
    const error = secrets.redactError(unsafeError)
    const base = topic === undefined ? undefined : baseAddressOf(topic, service)
    const state = base === undefined ? undefined : subscriptions.topics.requested(base)
    publish('svc-streams:decode-error', () => ({ host, topic: state?.topic, error }))
    if (state !== undefined) {
      deliver({ subscribers: subscribersIn(state), eventFor: failureEvent(() => error) })
    } else if (base === undefined || !subscriptions.isRecentlyUnsubscribed(base, clock.elapsed())) {
      this.reportUncorrelated('malformed', text)
    }
  }

  private reportUncorrelated(kind: UncorrelatedError['kind'], text: string): void {
    const { host, publish, secrets, onUncorrelated } = this.context
    const error = secrets.redactError(uncorrelatedError(kind, text))
    publish('svc-streams:uncorrelated', () => ({ host, error }))
    onUncorrelated(error)
  }
}

/** The topic as the service spells it, without the quote address that it may append. */
const withoutQuote = (topic: string, base: Address, service: string): EchoedTopic => ({
  base,
  topic: topic.slice(0, service.length + 1 + base.length) as Topic,
})
