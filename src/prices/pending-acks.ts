import type { Address } from '../domain/address.js'
import { correlate } from './correlate.js'
import { RecentlyUnsubscribed } from './recently-unsubscribed.js'
import { isUnanswered, isWaiting, type TopicState, type TopicTimeouts } from './topic-state.js'
import { UncorrelatedTexts } from './uncorrelated-texts.js'

/**
 * Which subscribes of this connection are yet to be answered, and whose an error text therefore is. All times are of
 * the clock that only moves forward, in ms.
 */
export class PendingAcks {
  private readonly departed: RecentlyUnsubscribed
  private readonly texts = new UncorrelatedTexts()

  constructor(
    private readonly entries: ReadonlyMap<Address, TopicState>,
    private readonly patience: TopicTimeouts,
  ) {
    this.departed = new RecentlyUnsubscribed(patience.confirmTimeout)
  }

  clear(): void {
    this.departed.clear()
    this.texts.clear()
  }

  /** A topic is unsubscribed: what is still on its way for it is no error. */
  leaves(entry: TopicState, now: number): void {
    const { base, subscribeSentAt } = entry
    const answerableUntil =
      subscribeSentAt !== undefined && isUnanswered(entry)
        ? subscribeSentAt + this.patience.confirmTimeout
        : 0
    this.departed.add(base, now, answerableUntil)
  }

  /** Whether a frame for this topic may be late rather than wrong. */
  isDeparted(base: Address, now: number): boolean {
    return this.departed.has(base, now)
  }

  answered(base: Address): void {
    this.departed.answered(base)
  }

  /** The topic that an error text answers. A text that answers none is kept: it may have been meant for one that waits. */
  answeredBy(text: string, now: number): Address | undefined {
    const base = correlate(text, {
      isWaiting: (address) => this.isWaiting(address),
      bases: () => this.unanswered(now),
    })
    if (base === undefined) this.texts.add(text, now)
    else this.departed.answered(base)
    return base
  }

  /** The texts since then that answered no topic. */
  textsSince(time: number): readonly string[] {
    return this.texts.since(time)
  }

  /** Whether there was a text that answered no topic. */
  get isUnclear(): boolean {
    return !this.texts.isEmpty
  }

  /**
   * After a text that answered no topic, topics that are asked for again go one by one: the next such text then has
   * only one subscribe that it can be about.
   */
  get holdsBack(): boolean {
    if (!this.isUnclear) return false
    for (const entry of this.entries.values()) if (isUnanswered(entry)) return true
    return false
  }

  private isWaiting(base: Address): boolean {
    const entry = this.entries.get(base)
    return entry !== undefined && isWaiting(entry)
  }

  private unanswered(now: number): readonly Address[] {
    const waiting = [...this.entries.values()].filter(isUnanswered).map(({ base }) => base)
    return [...waiting, ...this.departed.unanswered(now)]
  }
}
