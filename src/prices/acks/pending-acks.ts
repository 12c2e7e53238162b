import type { Address } from '../../domain/address.js'
import { addressesIn, correlate, only } from './correlate.js'
import { RecentlyUnsubscribed } from './recently-unsubscribed.js'
import { isUnconfirmed, phaseOf, type TopicState, type TopicTimeouts } from '../topic-state.js'
import { Probes } from './probes.js'
import type { TopicTable } from '../topic-table.js'
import { UncorrelatedTexts } from './uncorrelated-texts.js'

/**
 * The subscribe frames of one connection that wait for an ack (a confirmation or a rejection), and the error texts
 * that may be rejections.
 * All times are monotonic, in ms.
 */
export class PendingAcks {
  private readonly recentlyUnsubscribed: RecentlyUnsubscribed
  private readonly texts = new UncorrelatedTexts()
  readonly probes = new Probes()
  /** The pending topic that the last search found. While it is pending, no search is needed. */
  private pendingTopic: TopicState | undefined

  constructor(
    private readonly topics: TopicTable,
    timeouts: TopicTimeouts,
  ) {
    this.recentlyUnsubscribed = new RecentlyUnsubscribed(timeouts.confirmTimeout)
  }

  clear(): void {
    this.recentlyUnsubscribed.clear()
    this.texts.clear()
    this.probes.clear()
    this.pendingTopic = undefined
  }

  /** Called when the client unsubscribes a topic, because late frames for it may still arrive. */
  onUnsubscribe(base: Address, now: number, pendingUntil = 0): void {
    this.recentlyUnsubscribed.add(base, now, pendingUntil)
  }

  /** True if a frame for this topic may be a late one. Otherwise it is an error. */
  isRecentlyUnsubscribed(base: Address, now: number): boolean {
    return this.recentlyUnsubscribed.has(base, now)
  }

  /** Called when a frame is sent that subscribes again to a confirmed topic. */
  onProbe(base: Address, now: number): void {
    let unanswered = this.recentlyUnsubscribed.count(now)
    for (const state of this.topics.states) if (phaseOf(state) === 'pending') unanswered++
    this.probes.start(base, unanswered)
  }

  onAck(base: Address): void {
    this.recentlyUnsubscribed.onAck(base)
  }

  /**
   * The topic that an error text rejects. A text that matches no topic is stored, as `shown`, for a later
   * `SubscriptionTimeout`.
   */
  correlate(text: string, now: number, shown: string): Address | undefined {
    const base = correlate(text, {
      isUnconfirmed: (address) => this.isUnconfirmed(address) || this.probes.has(address),
      // A text without an address may be about the probe, which rejects nothing.
      pending: () => (this.probes.isPending ? [] : this.pending(now)),
    })
    this.probes.onErrorText()
    const answered = base ?? this.unsubscribedTopicIn(text, now)
    if (answered !== undefined) this.recentlyUnsubscribed.onAck(answered)
    if (base === undefined) this.texts.add(shown, now)
    return base
  }

  /** The uncorrelated error texts since `time`. */
  textsSince(time: number): readonly string[] {
    return this.texts.since(time)
  }

  get hasUncorrelatedTexts(): boolean {
    return !this.texts.isEmpty
  }

  /**
   * True if repeated subscribe frames must wait. After an uncorrelated error text they are sent one at a time, so that
   * the next error text can reject only one topic. Read for every frame that takes the slow path.
   */
  get delaysResubscribes(): boolean {
    if (!this.hasUncorrelatedTexts) return false
    if (this.pendingTopic === undefined || phaseOf(this.pendingTopic) !== 'pending')
      this.pendingTopic = this.findPending()
    return this.pendingTopic !== undefined
  }

  private findPending(): TopicState | undefined {
    for (const state of this.topics.states) if (phaseOf(state) === 'pending') return state
    return undefined
  }

  /** The unsubscribed topic whose subscribe frame the text answers. The text rejects nothing. */
  private unsubscribedTopicIn(text: string, now: number): Address | undefined {
    const named = addressesIn(text) ?? []
    return only(named.filter((address) => this.recentlyUnsubscribed.isPending(address, now)))
  }

  private isUnconfirmed(base: Address): boolean {
    const state = this.topics.get(base)
    return state !== undefined && isUnconfirmed(state)
  }

  private *pending(now: number): Generator<Address> {
    for (const state of this.topics.states) if (phaseOf(state) === 'pending') yield state.base
    yield* this.recentlyUnsubscribed.pending(now)
  }
}
