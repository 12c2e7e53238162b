import { PriceFrames } from '../codec/fast-path/price-frames.js'
import { subscribeFrame, unsubscribeFrame } from '../codec/price-frame.js'
import type { Address } from '../domain/address.js'
import type { Topic } from '../domain/topic.js'
import { Orphans } from './acks/orphans.js'
import { PendingAcks } from './acks/pending-acks.js'
import type { Delivery } from './fan-out.js'
import { FrameQueue } from './frame-queue.js'
import { rejectedEvent, staleEvent } from './price-events.js'
import { addToList, removeFromList, subscribersIn, type PriceSubscriber } from './subscriber-list.js'
import { TopicDeadlines } from './topic-deadlines.js'
import {
  pendingUntil,
  clearHeld,
  clearResubscribe,
  isUnconfirmed,
  never,
  phaseOf,
  releaseAt,
  resetTopicState,
  setPrice,
  type ReceivedPrice,
  type TopicState,
  type TopicTimeouts,
} from './topic-state.js'
import { TopicTable } from './topic-table.js'

/**
 * The state of all topics of one connection. It does no I/O, sets no timers and notifies no subscriber. `now` is
 * monotonic, in ms.
 */
export class Subscriptions {
  readonly topics = new TopicTable()
  /** `takeFrames` decides which frame a topic needs, when it dequeues the topic. */
  private readonly frameQueue = new FrameQueue()
  readonly acks: PendingAcks
  /** The topics that the service has subscribed and the client has not requested. */
  readonly orphans: Orphans
  private orphansFirst = true
  /** The byte patterns of this connection's price frames, for the fast path. */
  readonly pricePatterns = new PriceFrames<TopicState>()
  readonly deadlines: TopicDeadlines
  private isBehind = false

  constructor(
    private readonly timeouts: TopicTimeouts,
    /** Called when the service confirms a subscribe frame, with the ms since the client sent it. */
    private readonly onConfirmed: (state: TopicState, confirmMs: number) => void = () => undefined,
  ) {
    this.acks = new PendingAcks(this.topics, timeouts)
    this.orphans = new Orphans(this.topics, this.acks)
    this.deadlines = new TopicDeadlines(this.topics, this.frameQueue, this.acks, timeouts)
  }

  /** True while at least one topic needs the connection. */
  needsConnection(now: number): boolean {
    for (const state of this.topics.states) if (releaseAt(state, this.timeouts) > now) return true
    return false
  }

  addSubscriber(base: Address, subscriber: PriceSubscriber): TopicState {
    const state = this.topics.get(base) ?? this.create(base, subscriber.topic)
    addToList(state, subscriber)
    state.idleSince = undefined
    return state
  }

  /** A topic that was requested lingers; any other is removed immediately. */
  removeSubscriber(state: TopicState, subscriber: PriceSubscriber, now: number): void {
    if (this.topics.get(state.base) !== state) return
    removeFromList(state, subscriber)
    if (state.first !== undefined) return
    state.idleSince = now
    if (state.subscribeSentAt === undefined) this.remove(state)
    else if (releaseAt(state, this.timeouts) <= now) this.frameQueue.add(state)
    else this.deadlines.schedule(state)
  }

  /** Called when the connection opens: every topic then needs a subscribe frame. */
  onOpen(): void {
    for (const state of this.topics.states) this.frameQueue.add(state)
  }

  /** Called when the connection closes. Resets every topic, removes lingering topics, and returns all subscribers. */
  onDown(): readonly PriceSubscriber[] {
    const subscribers: PriceSubscriber[] = []
    for (const state of this.topics.states) {
      if (state.idleSince !== undefined) this.topics.delete(state)
      resetTopicState(state)
      for (const subscriber of subscribersIn(state)) subscribers.push(subscriber)
    }
    this.isBehind = false
    this.frameQueue.clear()
    this.orphans.clear()
    this.acks.clear()
    this.pricePatterns.clear()
    this.deadlines.clear()
    return subscribers
  }

  /** Dequeues at most `limit` frames and marks them as sent. */
  takeFrames(limit: number, now: number): readonly string[] {
    const frames: string[] = []
    // The two queues take turns to be first: with a low limit, neither may delay the other without bound.
    if (this.orphansFirst) this.orphans.takeFrames(limit, now, frames)
    for (const state of this.frameQueue.due) {
      if (frames.length >= limit) break
      this.takeFrame(state, now, frames)
    }
    if (!this.orphansFirst) this.orphans.takeFrames(limit, now, frames)
    if (frames.length > 0) this.orphansFirst = !this.orphansFirst
    for (const state of this.frameQueue.repeated) {
      if (frames.length >= limit || this.acks.delaysResubscribes) break
      this.takeFrame(state, now, frames)
    }
    return frames
  }

  /** True if `takeFrames` may return a frame. */
  get hasPendingFrames(): boolean {
    return (
      this.orphans.size > 0 ||
      this.frameQueue.hasDue ||
      (this.frameQueue.hasRepeated && !this.acks.delaysResubscribes)
    )
  }

  /**
   * A listed topic is confirmed. An unlisted topic is not affected: some deployments list only the new topic. Returns
   * false if the topic is not requested.
   */
  onConfirmation(base: Address, now: number): boolean {
    this.acks.onAck(base)
    const state = this.topics.requested(base)
    if (state !== undefined && isUnconfirmed(state)) this.onActivity(state, now)
    return state !== undefined
  }

  /**
   * Returns the state of the topic, or `undefined` if it is not requested on this connection. `age`: the ms since a
   * gateway received the price, which count toward `staleAfter`.
   */
  onPrice(base: Address, price: ReceivedPrice, now: number, age = 0): TopicState | undefined {
    const state = this.topics.requested(base)
    if (state === undefined) return undefined
    setPrice(state, price)
    this.onActivity(state, now, age)
    return state
  }

  /** The prices may be older than `maxLag`: no topic is live, and the newest price of each is held. */
  onBehind(now: number, behindMs: number): readonly Delivery[] {
    this.isBehind = true
    const deliveries: Delivery[] = []
    for (const state of this.topics.states) {
      if (!state.live) continue
      state.live = false
      state.held = true
      state.skipped = false
      deliveries.push({ subscribers: subscribersIn(state), eventFor: staleEvent(state, now, behindMs) })
    }
    return deliveries
  }

  /** The prices are current again. Returns the topics whose held price must be delivered. */
  onCaughtUp(now: number): readonly TopicState[] {
    this.isBehind = false
    const held: TopicState[] = []
    for (const state of this.topics.states) {
      if (!state.held) continue
      state.live = now - state.lastActivityAt < this.timeouts.staleAfter
      this.deadlines.schedule(state)
      if (state.live) held.push(state)
      else clearHeld(state)
    }
    return held
  }

  isStale(base: Address): boolean {
    const state = this.topics.get(base)
    return state !== undefined && phaseOf(state) === 'stale'
  }

  /** True if a frame for this topic may be a late one. Otherwise it is an error. */
  isRecentlyUnsubscribed(base: Address, now: number): boolean {
    return this.acks.isRecentlyUnsubscribed(base, now)
  }

  /**
   * Returns the delivery that an error text causes, or `undefined` if the text matches no topic. `shown`: the text as
   * errors contain it.
   */
  onErrorText(text: string, now: number, shown = text): Delivery | undefined {
    const base = this.acks.correlate(text, now, shown)
    if (base === undefined) return undefined
    const state = this.topics.get(base)
    const eventFor = rejectedEvent(shown)
    const isRejected = state !== undefined && (isUnconfirmed(state) || this.acks.probes.has(base))
    if (!isRejected) return { subscribers: [], eventFor }
    this.remove(state)
    this.orphans.onRemoved(base)
    return { subscribers: subscribersIn(state), eventFor, completes: true }
  }

  private create(base: Address, topic: Topic): TopicState {
    const state = this.topics.create(base, topic)
    this.frameQueue.add(state)
    return state
  }

  private remove(state: TopicState): void {
    this.topics.delete(state)
    this.frameQueue.delete(state)
    if (typeof state.framePattern === 'number') this.pricePatterns.forget(state.framePattern)
    resetTopicState(state)
  }

  private onActivity(state: TopicState, now: number, age = 0): void {
    const confirmMs = state.lastActivityAt === never ? now - (state.subscribeSentAt ?? now) : undefined
    state.lastActivityAt = now - age
    state.live = !this.isBehind && age < this.timeouts.staleAfter
    if (this.isBehind) state.held = true
    if (state.needsResubscribe) {
      clearResubscribe(state)
      this.frameQueue.delete(state)
    }
    this.deadlines.schedule(state)
    if (confirmMs !== undefined) this.onConfirmed(state, confirmMs)
  }

  private takeFrame(state: TopicState, now: number, frames: string[]): void {
    this.frameQueue.delete(state)
    const frame = this.frameFor(state, now)
    if (frame !== undefined) frames.push(frame)
  }

  private frameFor(state: TopicState, now: number): string | undefined {
    const isRequested = state.subscribeSentAt !== undefined
    if (releaseAt(state, this.timeouts) <= now) {
      const ackUntil = pendingUntil(state, this.timeouts)
      this.remove(state)
      if (!isRequested) return undefined
      this.acks.onUnsubscribe(state.base, now, ackUntil)
      this.orphans.onRemoved(state.base)
      return unsubscribeFrame(state.topic)
    }
    const isDue = !isRequested || state.needsResubscribe
    if (isDue) {
      state.subscribeSentAt = now
      this.orphans.onRequested(state.base)
      clearResubscribe(state)
    }
    // The topic may be lingering: then it needs an unsubscribe frame later.
    this.deadlines.schedule(state)
    return isDue ? subscribeFrame(state.topic) : undefined
  }
}
