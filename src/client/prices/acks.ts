import { canonicalAddress, type Address } from '../../base/domain/address.js'
import { truncate } from '../../base/errors/text.js'
import { UnansweredFrames } from './outgoing-frames.js'
import { isUnconfirmed, phaseOf, type TopicState, type TopicTable, type TopicTimeouts } from './topics.js'

/**
 * The subscribe frames of one connection that wait for an ack (a confirmation or a rejection), and the error texts
 * that may be rejections.
 * All times are monotonic, in ms.
 */
export class PendingAcks {
  private readonly recentlyUnsubscribed: RecentlyUnsubscribed
  private readonly texts = new UncorrelatedTexts()
  readonly unanswered = new UnansweredFrames()
  /** The pending topic that the last search found. While it is pending, no search is needed. */
  private pendingTopic: TopicState | undefined
  /** The topic that the last probe of an unconfirmed topic has requested again, and when that was. */
  private probedTopic: Address | undefined
  private probedAt = 0

  constructor(
    private readonly topics: TopicTable,
    private readonly timeouts: TopicTimeouts,
  ) {
    this.recentlyUnsubscribed = new RecentlyUnsubscribed(timeouts.confirmTimeout)
  }

  clear(): void {
    this.recentlyUnsubscribed.clear()
    this.texts.clear()
    this.unanswered.clear()
    this.pendingTopic = this.probedTopic = undefined
  }

  /** Called when the client unsubscribes a topic, because late frames for it may still arrive. */
  onUnsubscribe(base: Address, now: number, pendingUntil = 0): void {
    this.recentlyUnsubscribed.add(base, now, pendingUntil)
    this.unanswered.onSent('unsubscribe', base)
  }

  /** Called when a probe subscribes again to a topic. */
  onProbe(state: TopicState, now: number): void {
    this.unanswered.onSent(isUnconfirmed(state) ? 'subscribe' : 'probe', state.base)
    if (!isUnconfirmed(state)) return
    this.probedTopic = state.base
    this.probedAt = now
  }

  /** True if a frame for this topic may be late. Otherwise the frame is an error. */
  isRecentlyUnsubscribed(base: Address, now: number): boolean {
    return this.recentlyUnsubscribed.has(base, now)
  }

  /** True if an error text may reject this topic: it is not confirmed, or a probe subscribes to it. */
  isRejectable(base: Address): boolean {
    const state = this.topics.get(base)
    return (state !== undefined && isUnconfirmed(state)) || this.unanswered.isProbing(base)
  }

  /** A confirmation lists this topic. */
  onListed(base: Address): void {
    this.recentlyUnsubscribed.onConfirmation(base)
  }

  /**
   * The topic that an error text rejects. A text that matches no topic is stored, as `shown`, for a later
   * `SubscriptionTimeout`.
   */
  correlate(text: string, now: number, shown: string): Address | undefined {
    const base = correlate(text, {
      isUnconfirmed: (address) => this.isRejectable(address),
      // A text without an address may be the answer to the probe. It rejects no topic.
      pending: () => (this.unanswered.probeCount > 0 ? [] : this.pending(now)),
    })
    const answered = base ?? this.unsubscribedTopicIn(text, now)
    if (answered !== undefined) this.recentlyUnsubscribed.onErrorText(answered)
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

  /** The unsubscribed topic whose subscribe frame the text answers. The text rejects no topic. */
  private unsubscribedTopicIn(text: string, now: number): Address | undefined {
    const named = addressesIn(text) ?? []
    return only(named.filter((address) => this.recentlyUnsubscribed.isPending(address, now)))
  }

  /** A topic that has timed out may have been requested again by a probe. */
  private isAwaited(state: TopicState, now: number): boolean {
    const phase = phaseOf(state)
    const isProbed = state.base === this.probedTopic && now - this.probedAt < this.timeouts.confirmTimeout
    return phase === 'pending' || (phase === 'timed-out' && isProbed)
  }

  private *pending(now: number): Generator<Address> {
    for (const state of this.topics.states) if (this.isAwaited(state, now)) yield state.base
    yield* this.recentlyUnsubscribed.pending(now)
  }
}

/** The acks of the subscribe frames of one connection. Topics are named by their base address. */
export interface SubscribeAcks {
  /** True if this topic is not confirmed yet. */
  readonly isUnconfirmed: (base: Address) => boolean
  /** The topic of each subscribe frame that waits for an ack, including topics unsubscribed since. */
  readonly pending: () => Iterable<Address>
}

/**
 * The topic that an error text rejects. An error text names no topic, so it is matched only if the match is certain:
 * either it contains the address of exactly one unconfirmed topic, or it contains no address and exactly one
 * subscribe frame waits for an ack.
 */
export const correlate = (text: string, acks: SubscribeAcks): Address | undefined => {
  const addresses = addressesIn(text)
  if (addresses === undefined) return undefined
  return only(addresses.length > 0 ? addresses.filter(acks.isUnconfirmed) : acks.pending())
}

/** The only address; `undefined` if there is none or more than one. Reads no further: thousands may follow. */
const only = (addresses: Iterable<Address>): Address | undefined => {
  let first: Address | undefined
  for (const address of addresses) {
    if (first !== undefined) return undefined
    first = address
  }
  return first
}

/** A text with more addresses answers no subscribe frame: a text of 1 MiB may have 350,000. */
const maxAddresses = 1000

/** The addresses in a text, each once, in lower case. Returns `undefined` if there are too many. */
const addressesIn = (text: string): readonly Address[] | undefined => {
  const addresses = new Set<Address>()
  let count = 0
  for (const [address] of text.matchAll(/0x[0-9a-fA-F]+/g)) {
    if (++count > maxAddresses) return undefined
    addresses.add(canonicalAddress(address as Address))
  }
  return [...addresses]
}

interface Unsubscription {
  readonly at: number
  /** Until when the ack of each subscribe frame without one may arrive. A topic may be left several times before the first. */
  pendingUntil: readonly number[]
}

/**
 * The topics that the client recently unsubscribed on one connection. Late frames for them are not errors.
 * All times are monotonic, in ms.
 */
export class RecentlyUnsubscribed {
  /** In the order of unsubscription, the oldest first. */
  private readonly unsubscriptions = new Map<Address, Unsubscription>()

  /** `grace`: how long late frames are accepted, in ms. */
  constructor(private readonly grace: number) {}

  add(base: Address, now: number, pendingUntil: number): void {
    for (const [oldest, { at }] of this.unsubscriptions) {
      if (now - at < this.grace) break
      this.unsubscriptions.delete(oldest)
    }
    const before = this.unsubscriptions.get(base)?.pendingUntil ?? []
    this.unsubscriptions.delete(base)
    // The ack of the last subscribe frame follows those of the frames before it.
    const pending = pendingUntil > now ? [...before.filter((until) => until > now), pendingUntil] : []
    this.unsubscriptions.set(base, { at: now, pendingUntil: pending })
  }

  /** True while late frames for this topic are accepted. */
  has(base: Address, now: number): boolean {
    const unsubscription = this.unsubscriptions.get(base)
    return unsubscription !== undefined && now - unsubscription.at < this.grace
  }

  onConfirmation(base: Address): void {
    const unsubscription = this.unsubscriptions.get(base)
    if (unsubscription !== undefined) unsubscription.pendingUntil = []
  }

  /** An error text answers one subscribe frame. */
  onErrorText(base: Address): void {
    const unsubscription = this.unsubscriptions.get(base)
    if (unsubscription !== undefined) unsubscription.pendingUntil = unsubscription.pendingUntil.slice(1)
  }

  /** True while a subscribe frame of this topic waits for an ack. */
  isPending(base: Address, now: number): boolean {
    return this.unsubscriptions.get(base)?.pendingUntil.some((until) => now < until) ?? false
  }

  /** The topic of each subscribe frame that waits for an ack. */
  *pending(now: number): Generator<Address> {
    for (const [base, { pendingUntil }] of this.unsubscriptions)
      for (const until of pendingUntil) if (now < until) yield base
  }

  clear(): void {
    this.unsubscriptions.clear()
  }
}

/** The maximum number of stored texts. */
const maxTexts = 16

/** The recent error texts of one connection that match no topic. One of them may reject a pending topic. */
export class UncorrelatedTexts {
  private texts: readonly { readonly at: number; readonly text: string }[] = []

  get isEmpty(): boolean {
    return this.texts.length === 0
  }

  add(text: string, now: number): void {
    this.texts = [...this.texts.slice(1 - maxTexts), { at: now, text: truncate(text) }]
  }

  /** The texts that arrived at or after `time`. `time` is monotonic, in ms. */
  since(time: number): readonly string[] {
    return this.texts.filter(({ at }) => at >= time).map(({ text }) => text)
  }

  clear(): void {
    this.texts = []
  }
}
