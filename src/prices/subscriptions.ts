import { PriceFrames } from '../codec/fast-path/price-frames.js'
import { subscribeFrame, unsubscribeFrame } from '../codec/outgoing-frame.js'
import type { Address } from '../domain/address.js'
import type { Topic } from '../domain/topic.js'
import { subscriptionTimeout } from '../errors/constructors.js'
import type { Delivery } from './fan-out.js'
import { PendingAcks } from './pending-acks.js'
import { failureEvent, rejectedEvent, staleEvent, type PriceEventFactory } from './price-events.js'
import {
  createTopicState,
  resetTopicState,
  isUnanswered,
  isWaiting,
  never,
  setPrice,
  setSubscribers,
  silentAt,
  unwantedAt,
  type TopicState,
  type PriceSubscriber,
  type TopicTimeouts,
  type ReceivedPrice,
} from './topic-state.js'

/**
 * Which topics are wanted, asked for, waiting, live: the one truth that frames, deadlines and deliveries are
 * derived from. It sends nothing, sets no timer and tells no listener; `now` is of the clock that only moves forward.
 */
export class Subscriptions {
  private readonly topics = new Map<Address, TopicState>()
  /** The entries that a frame may be owed for. Whether one is, their state says when its turn comes. */
  private readonly pending = new Set<TopicState>()
  private readonly pendingAcks: PendingAcks
  /** What the price updates of each topic look like on this connection, for the short way that they take. */
  readonly frames = new PriceFrames<TopicState>()
  private deadline = Infinity

  constructor(
    private readonly timeouts: TopicTimeouts,
    /** Called when a subscribe has been answered, so many ms after it was sent. */
    private readonly confirmation: (entry: TopicState, confirmMs: number) => void = () => undefined,
  ) {
    this.pendingAcks = new PendingAcks(this.topics, timeouts)
  }

  get size(): number {
    return this.topics.size
  }

  /** When `expire` is next to be called, at the latest. */
  get nextDeadline(): number {
    return this.deadline
  }

  get all(): Iterable<TopicState> {
    return this.topics.values()
  }

  /** Whether there is a topic to keep a connection for. */
  isWanted(now: number): boolean {
    for (const entry of this.topics.values()) if (unwantedAt(entry, this.timeouts) > now) return true
    return false
  }

  has(base: Address): boolean {
    return this.topics.has(base)
  }

  join(base: Address, listener: PriceSubscriber): TopicState {
    const entry = this.topics.get(base) ?? this.create(base, listener.topic)
    // Not by a spread, which makes room for sixteen more.
    setSubscribers(entry, entry.subscribers.concat(listener))
    entry.idleSince = undefined
    return entry
  }

  /** A topic that was asked for lingers; any other is forgotten at once. */
  leave(entry: TopicState, listener: PriceSubscriber, now: number): void {
    if (this.topics.get(entry.base) !== entry) return
    const others = entry.subscribers.filter((other) => other !== listener)
    setSubscribers(entry, others)
    if (others.length > 0) return
    entry.idleSince = now
    if (entry.subscribeSentAt === undefined) this.forget(entry)
    else if (unwantedAt(entry, this.timeouts) <= now) this.pending.add(entry)
    else this.schedule(entry)
  }

  /** A connection opened: all that is wanted is to be asked for. */
  connected(): void {
    for (const entry of this.topics.values()) this.pending.add(entry)
  }

  /** The connection is gone, and what was known over it. Returns all who listen. */
  disconnected(): readonly PriceSubscriber[] {
    const audience: PriceSubscriber[] = []
    for (const entry of this.topics.values()) {
      if (entry.idleSince !== undefined) this.topics.delete(entry.base)
      resetTopicState(entry)
      for (const listener of entry.subscribers) audience.push(listener)
    }
    this.pending.clear()
    this.pendingAcks.clear()
    this.frames.clear()
    this.deadline = Infinity
    return audience
  }

  /** Forgets every topic: who leaves from here on has nothing to leave. */
  clear(): void {
    this.topics.clear()
  }

  /** The frames that are owed, at most so many, taken as sent. */
  takeFrames(limit: number, now: number): readonly string[] {
    const frames: string[] = []
    let { holdsBack } = this.pendingAcks
    for (const entry of this.pending) {
      if (frames.length >= limit) break
      if (holdsBack && entry.needsResubscribe) continue
      this.pending.delete(entry)
      const frame = this.frameFor(entry, now)
      if (frame !== undefined) frames.push(frame)
      holdsBack ||= this.pendingAcks.isUnclear && isUnanswered(entry)
    }
    return frames
  }

  /** Whether `take` has more to give. */
  get hasPendingFrames(): boolean {
    for (const entry of this.pending) if (!entry.needsResubscribe) return true
    return this.pending.size > 0 && !this.pendingAcks.holdsBack
  }

  /** A topic in a confirmation is confirmed; absence from it proves nothing. */
  confirmed(base: Address, now: number): void {
    this.pendingAcks.answered(base)
    const entry = this.topics.get(base)
    if (entry === undefined || !isWaiting(entry)) return
    this.active(entry, now)
  }

  /** Returns the topic's entry, or `undefined` where the topic is not subscribed on this connection. */
  priced(base: Address, price: ReceivedPrice, now: number): TopicState | undefined {
    const entry = this.requested(base)
    if (entry === undefined) return undefined
    setPrice(entry, price)
    this.active(entry, now)
    return entry
  }

  requested(base: Address): TopicState | undefined {
    const entry = this.topics.get(base)
    return entry?.subscribeSentAt === undefined ? undefined : entry
  }

  /** Whether a frame for this topic may be late rather than wrong. */
  isRecentlyUnsubscribed(base: Address, now: number): boolean {
    return this.pendingAcks.isDeparted(base, now)
  }

  /** An error text: what is to be told of it, or `undefined` where it belongs to no topic. */
  rejected(text: string, now: number): Delivery | undefined {
    const base = this.pendingAcks.answeredBy(text, now)
    if (base === undefined) return undefined
    const entry = this.topics.get(base)
    if (entry === undefined || !isWaiting(entry)) return { subscribers: [], eventFor: rejectedEvent(text) }
    this.forget(entry)
    return { subscribers: entry.subscribers, eventFor: rejectedEvent(text), completes: true }
  }

  /** What has come due: topics that are silent for too long, and topics that nobody came back to. */
  expire(now: number): readonly Delivery[] {
    const deliveries: Delivery[] = []
    this.deadline = Infinity
    for (const entry of this.topics.values()) {
      if (unwantedAt(entry, this.timeouts) <= now) this.pending.add(entry)
      if (silentAt(entry, this.timeouts) <= now) {
        deliveries.push({ subscribers: entry.subscribers, eventFor: this.silenced(entry, now) })
      }
      this.schedule(entry)
    }
    return deliveries
  }

  private create(base: Address, topic: Topic): TopicState {
    const entry = createTopicState(base, topic)
    this.topics.set(base, entry)
    this.pending.add(entry)
    return entry
  }

  private active(entry: TopicState, now: number): void {
    const confirmMs = entry.lastActivityAt === never ? now - (entry.subscribeSentAt ?? now) : undefined
    entry.lastActivityAt = now
    entry.live = true
    entry.needsResubscribe = false
    this.schedule(entry)
    if (confirmMs !== undefined) this.confirmation(entry, confirmMs)
  }

  private forget(entry: TopicState): void {
    this.topics.delete(entry.base)
    this.pending.delete(entry)
    if (typeof entry.pattern === 'number') this.frames.forget(entry.pattern)
    resetTopicState(entry)
  }

  /** Only ever brings the due time forward: to come too early costs a look, to come too late a promise. */
  private schedule(entry: TopicState): void {
    const unwanted = this.pending.has(entry) ? Infinity : unwantedAt(entry, this.timeouts)
    this.deadline = Math.min(this.deadline, unwanted, silentAt(entry, this.timeouts))
  }

  private frameFor(entry: TopicState, now: number): string | undefined {
    if (unwantedAt(entry, this.timeouts) > now) {
      const isOwed = entry.subscribeSentAt === undefined || entry.needsResubscribe
      if (isOwed) {
        entry.subscribeSentAt = now
        entry.needsResubscribe = false
      }
      // What is not owed a frame now may be owed one when its linger ends.
      this.schedule(entry)
      return isOwed ? subscribeFrame(entry.topic) : undefined
    }
    const wasAsked = entry.subscribeSentAt !== undefined
    if (wasAsked) this.pendingAcks.leaves(entry, now)
    this.forget(entry)
    return wasAsked ? unsubscribeFrame(entry.topic) : undefined
  }

  private silenced(entry: TopicState, now: number): PriceEventFactory {
    if (entry.lastActivityAt !== never) {
      entry.live = false
      return staleEvent(entry, now)
    }
    const recent = this.pendingAcks.textsSince(entry.subscribeSentAt ?? now)
    entry.needsResubscribe = true
    this.pending.add(entry)
    return failureEvent((topic) => subscriptionTimeout(topic, this.timeouts.confirmTimeout, recent))
  }
}
