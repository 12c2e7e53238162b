import type { ConsumedTopic } from '../subscriptions/topic-feed.js'

/**
 * A pong, or a confirmation as it was when the message was read: it must not list what a later message has changed.
 * `isUnproven`: true until the service has answered a probe that was sent after the message was read; `undefined` if the
 * answer does not wait for that. `isProven`: true once this answer and all before it are proven.
 */
type HeldAnswer = ({ readonly payload: Buffer } | { readonly text: string }) & {
  readonly isUnproven: (() => boolean) | undefined
  isProven?: true
}

/** A client sends at most 64 pings within its `maxLag`. */
const maxPongs = 128
const maxConfirmations = 32

/** The topics whose newest price waits, and the pongs and confirmations that wait, the longest held first. */
export class HeldFrames {
  private readonly frames = new Set<ConsumedTopic | HeldAnswer>()
  /** The topics of which the consumer does not have the last price or its position, and does not get it. */
  private readonly missed = new Set<ConsumedTopic>()
  private lastPong: HeldAnswer | undefined
  private pongs = 0
  private confirmations = 0

  get size(): number {
    return this.frames.size
  }

  /** True if no frame is held, and the consumer can count the next price of each topic. */
  get isEmpty(): boolean {
    return this.frames.size === 0 && this.missed.size === 0
  }

  get hasConfirmations(): boolean {
    return this.confirmations > 0
  }

  has(topic: ConsumedTopic): boolean {
    return this.frames.has(topic)
  }

  add(topic: ConsumedTopic): void {
    this.frames.add(topic)
  }

  /** Called when a newer price is sent, or when the consumer leaves. */
  delete(topic: ConsumedTopic): void {
    this.missed.delete(topic)
    this.frames.delete(topic)
  }

  /** A held price of the topic is not sent, or the consumer does not know the position of the last price. */
  miss(topic: ConsumedTopic): void {
    this.frames.delete(topic)
    this.missed.add(topic)
  }

  /** True if the consumer may not have the price before the next one: it cannot count the next one. */
  hasGap(topic: ConsumedTopic): boolean {
    return this.frames.has(topic) || this.missed.has(topic)
  }

  /** The first pongs keep their places; the last pong is that of the newest ping (RFC 6455, section 5.5.3). */
  addPong(pong: HeldAnswer): void {
    if (this.pongs < maxPongs) this.pongs++
    else if (this.lastPong !== undefined) this.frames.delete(this.lastPong)
    this.lastPong = pong
    this.frames.add(pong)
  }

  /** Further confirmations are omitted: the consumer requests the topic again. */
  addConfirmation(confirmation: HeldAnswer): void {
    if (this.confirmations === maxConfirmations) return
    this.confirmations++
    this.frames.add(confirmation)
  }

  /**
   * The frames that may be sent. An answer is removed, and given only if the service has proven it and all answers before it:
   * answers keep their order. It follows the topics that are held when it is proven, because the consumer takes its last price
   * of a topic for the one that was current then. A topic is not removed.
   */
  *sendable(): Generator<ConsumedTopic | HeldAnswer> {
    let hasUnproven = false
    for (const frame of this.frames) {
      if ('base' in frame) yield frame
      else if (frame.isProven !== true) {
        hasUnproven ||= frame.isUnproven?.() === true
        if (hasUnproven) continue
        frame.isProven = true
        this.frames.delete(frame)
        this.frames.add(frame)
      } else {
        this.frames.delete(frame)
        if ('payload' in frame) this.pongs--
        else this.confirmations--
        yield frame
      }
    }
  }
}
