import { readFrame } from '../codec/price-frame.js'
import { publish } from '../diagnostics/publish.js'
import { baseAddressOf } from '../domain/topic.js'
import { uncorrelatedError } from '../errors/constructors.js'
import type { DecodeError, UncorrelatedError } from '../errors/model.js'
import { elapsed, wallClock } from '../time/clock.js'
import { TickClock } from '../time/tick-clock.js'
import { deliver, deliverPrice } from './fan-out.js'
import { failureEvent } from './price-events.js'
import { publishFailure } from './publish-failure.js'
import type { Subscriptions } from './subscriptions.js'

export interface FrameHandlerContext {
  readonly subscriptions: Subscriptions
  readonly service: string
  /** How the connection is called in diagnostics. */
  readonly host: string
  readonly epoch: () => number
  readonly uncorrelated: (error: UncorrelatedError) => void
  /** The state has changed, and nobody has been told yet. */
  readonly changed: () => void
}

/** How much of a binary frame an error shows, in bytes. */
const shownBytes = 1024

/**
 * What each frame from the service does: it changes the state first, and then tells whom it concerns. What
 * belongs to no topic is an uncorrelated error; it is never guessed, and never delivered.
 */
export class FrameHandler {
  private readonly moment = new TickClock()

  constructor(private readonly context: FrameHandlerContext) {}

  /**
   * The short way, for a price of a topic that is live: such a price changes no deadline that has been set, and no
   * frame is owed for it. What came in one go has come at one time.
   */
  bytes(memory: Uint8Array, start: number, end: number): boolean {
    const { frames } = this.context.subscriptions
    const entry = frames.recognise(memory, start, end)
    if (!entry?.live) return false
    this.moment.refresh()
    entry.lastActivityAt = this.moment.elapsed
    entry.price = frames.price
    entry.receivedAt = this.moment.wallClock
    entry.epoch = this.context.epoch()
    deliverPrice(entry)
    return true
  }

  text(text: string): void {
    const frame = readFrame(text)
    switch (frame._tag) {
      case 'PriceUpdate':
        return this.priced(frame.topic, frame.price, text)
      case 'Confirmation':
        return this.confirmed(frame.subscriptions, text)
      case 'ErrorText':
        return this.refused(text)
      case 'Malformed':
        return this.malformed(frame.topic, frame.error, text)
    }
  }

  binary(frame: Uint8Array): void {
    const shown = Buffer.from(frame.subarray(0, shownBytes)).toString('hex')
    this.context.uncorrelated(uncorrelatedError('binary', shown))
  }

  private priced(topic: string, price: number, text: string): void {
    const { subscriptions, service, epoch, changed } = this.context
    const base = baseAddressOf(topic, service)
    const now = elapsed()
    const quote = { price, receivedAt: wallClock(), epoch: epoch() }
    const entry = base === undefined ? undefined : subscriptions.priced(base, quote, now)
    if (entry !== undefined) {
      changed()
      entry.pattern ??= subscriptions.frames.learn(text, entry) ?? 'cannot be learned'
      deliverPrice(entry)
    } else if (base === undefined || !subscriptions.isRecentlyUnsubscribed(base, now)) {
      this.context.uncorrelated(uncorrelatedError('unknown-topic', text))
    }
  }

  private confirmed(topics: readonly string[], text: string): void {
    const now = elapsed()
    let foreign = false
    for (const topic of topics) {
      const base = baseAddressOf(topic, this.context.service)
      if (base === undefined) foreign = true
      else this.context.subscriptions.confirmed(base, now)
    }
    this.context.changed()
    if (foreign) this.context.uncorrelated(uncorrelatedError('unknown-topic', text))
  }

  private refused(text: string): void {
    const delivery = this.context.subscriptions.rejected(text, elapsed())
    this.context.changed()
    if (delivery === undefined) this.context.uncorrelated(uncorrelatedError('error-text', text))
    else publishFailure(this.context.host, deliver(delivery))
  }

  private malformed(topic: string | undefined, error: DecodeError, text: string): void {
    const { subscriptions, service, host } = this.context
    const base = topic === undefined ? undefined : baseAddressOf(topic, service)
    const entry = base === undefined ? undefined : subscriptions.requested(base)
    publish('svc-streams:decode-error', () => ({ host, topic: entry?.topic, error }))
    if (entry !== undefined) {
      deliver({ subscribers: entry.subscribers, eventFor: failureEvent(() => error) })
    } else if (base === undefined || !subscriptions.isRecentlyUnsubscribed(base, elapsed())) {
      this.context.uncorrelated(uncorrelatedError('malformed', text))
    }
  }
}
