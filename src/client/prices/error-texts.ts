import { canonicalAddress, type Address } from '../../base/domain/topic.js'
import { truncate } from '../../base/errors/text.js'
import type { SentFrames } from './sent-frames.js'

/** The maximum number of stored texts. */
const maxTexts = 16

/** The error texts of one connection: which topic each rejects, and the recent ones that match no topic. */
export class ErrorTexts {
  /** One of them may reject a pending topic. */
  private uncorrelated: readonly { readonly at: number; readonly text: string }[] = []
  /**
   * When the subscribe frames of a topic were sent that an error text may answer: until the topic is confirmed, also if the
   * client has left it. The last sent come last.
   */
  private readonly awaited = new Map<Address, readonly number[]>()

  constructor(
    private readonly sentFrames: SentFrames,
    /** For this time a subscribe frame waits for its answer, in ms. */
    private readonly confirmTimeout: number,
  ) {}

  onSubscribe(base: Address, now: number): void {
    const earlier = this.awaitedOf(base, now)
    this.awaited.delete(base)
    this.awaited.set(base, [...earlier, now])
    for (const [oldest] of this.awaited) {
      if (this.awaitedOf(oldest, now).length > 0) return
      this.awaited.delete(oldest)
    }
  }

  /** The service has confirmed a topic, or sent a price of it. */
  onConfirmed(base: Address): void {
    this.awaited.delete(base)
  }

  /**
   * The topic that an error text rejects: that of the first address in the text, if the service has not confirmed it. A text
   * without an address rejects the topic of the only subscribe frame that waits for an answer. A text that rejects no topic
   * is stored, as `shown`, for a later `SubscriptionTimeout`. `now`: monotonic, in ms.
   */
  correlate(text: string, now: number, shown: string): Address | undefined {
    const { sentFrames } = this
    const [named] = /0x[0-9a-f]+/i.exec(text) ?? []
    const base = named === undefined ? this.onlyAwaited(now) : canonicalAddress(named as Address)
    const isRejected = base !== undefined && (named === undefined || sentFrames.isRejectable(base))
    // The text may also answer the subscribe frame of a topic that the client has left since.
    if (base !== undefined) {
      if (this.awaited.has(base)) this.awaited.set(base, this.awaitedOf(base, now).slice(1))
      sentFrames.onErrorText(base)
    }
    if (isRejected) return base
    this.uncorrelated = [...this.uncorrelated.slice(1 - maxTexts), { at: now, text: truncate(shown) }]
    return undefined
  }

  /** The texts that match no topic, since `time`. */
  since(time: number): readonly string[] {
    return this.uncorrelated.filter(({ at }) => at >= time).map(({ text }) => text)
  }

  /** The topic of the only subscribe frame that waits for an answer. While a probe waits too, the text may answer the probe. */
  private onlyAwaited(now: number): Address | undefined {
    if (this.sentFrames.probeCount > 0) return undefined
    let only: Address | undefined
    for (const base of this.awaited.keys()) {
      const { length } = this.awaitedOf(base, now)
      if (length > 1 || (length === 1 && only !== undefined)) return undefined
      if (length === 1) only = base
    }
    return only
  }

  private awaitedOf(base: Address, now: number): readonly number[] {
    return (this.awaited.get(base) ?? []).filter((sentAt) => now - sentAt < this.confirmTimeout)
  }
}
