import type { PriceFrames } from '../../wire/codec/fast-path.js'
import { subscribeFrame, unsubscribeFrame } from '../../wire/codec/price-frame.js'
import type { Address, Topic } from '../../base/domain/topic.js'
import { subscriptionTimeout } from '../../base/errors/constructors.js'
import type { DecodeError } from '../../base/errors/model.js'
import { truncate } from '../../base/errors/text.js'
import { SentFrames } from './sent-frames.js'
import { deliveryTo, failTopic, type Effect } from './effects.js'
import {
  addToList,
  removeFromList,
  subscribersIn,
  takeList,
  type Delivery,
  type PriceEventFactory,
  type PriceSubscription,
  type ReceivedPrice,
} from './subscribers.js'
import {
  deliveredPrice,
  failureEvent,
  isConfirmed,
  isUnconfirmed,
  lastPrice,
  never,
  newlyHeld,
  phaseOf,
  rejectedEvent,
  releaseAt,
  resetTopic,
  setPrice,
  silenceDeadline,
  staleEvent,
  TopicTable,
  type SubscribedTopic,
  type TopicTimeouts,
} from './topics.js'

/** A check of all deadlines takes far less than 1 ms for this number of topics. Further topics make the checks rarer. */
const scannedPerMs = 200

/** The maximum number of error texts that are stored. */
const maxTexts = 16

/**
 * The state of all topics of one connection. An event changes the state, and returns the frames to send and the events
 * to deliver. This class does no I/O, sets no timers and notifies no subscriber. `now` is monotonic, in ms.
 */
export class Subscriptions {
  readonly topics = new TopicTable()
  /** Of the open connection, or the next one. */
  sentFrames: SentFrames
  /** The error texts that match no topic: one of them may reject a pending topic. */
  private unmatchedTexts: readonly { readonly at: number; readonly text: string }[] = []
  /** The topics that need a frame, in the order of their requests. `takeFrame` decides which frame that is. */
  private readonly due = new Set<SubscribedTopic>()
  private unrequestedFirst = true
  /** Latest time at which `onDeadline` must be called. A deadline that is postponed leaves it as it is. */
  nextDeadline = Infinity
  private lastScanAt = -Infinity
  /** True while no topic is live, because the prices may be older than `maxLag`. */
  isBehind = false
  /** Of the price frames of the open connection, for the fast path. Present after the first one, where there is a fast path. */
  pricePatterns: PriceFrames<SubscribedTopic> | undefined

  constructor(private readonly timeouts: TopicTimeouts) {
    this.sentFrames = new SentFrames(this.topics, timeouts.confirmTimeout)
  }

  /** True while at least one topic needs the connection. */
  needsConnection(now: number): boolean {
    for (const state of this.topics.values()) if (releaseAt(state, this.timeouts) > now) return true
    return false
  }

  addSubscriber(base: Address, subscriber: PriceSubscription): SubscribedTopic {
    const state = this.want(base, subscriber.topic)
    addToList(state, subscriber)
    return state
  }

  /** Requests a topic, and keeps it while it has no subscribers: those of another line want it. */
  want(base: Address, topic: Topic): SubscribedTopic {
    const state = this.topics.get(base) ?? this.create(base, topic)
    state.idleSince = undefined
    return state
  }

  /**
   * Removes a subscriber; without one, ends the request of another line. A topic that has no subscribers left lingers if it was
   * requested; otherwise it is removed immediately.
   */
  leave(state: SubscribedTopic, now: number, subscriber?: PriceSubscription): void {
    if (subscriber !== undefined) removeFromList(state, subscriber)
    if (state.first !== undefined) return
    state.idleSince = now
    if (state.subscribeSentAt === undefined) this.remove(state)
    else if (releaseAt(state, this.timeouts) <= now) this.due.add(state)
    else this.schedule(state)
  }

  /** Called when the connection opens: every topic then needs a subscribe frame. */
  onOpen(): void {
    for (const state of this.topics.values()) this.due.add(state)
  }

  /** The line is in front from now on. A topic that the service has rejected is requested again at once: its answer is emitted. */
  onFront(epoch: number): void {
    for (const state of this.topics.values()) {
      state.epoch = epoch
      if (!isUnconfirmed(state) || this.sentFrames.requestsOf(state.base).length > 0) continue
      state.isTimedOut = true
      this.due.add(state)
    }
  }

  /** Called when the connection closes, by a failure of every topic or by the client. Returns all subscribers. */
  onDown(eventFor?: PriceEventFactory): readonly PriceSubscription[] {
    const subscribers: PriceSubscription[] = []
    for (const state of this.topics.values()) {
      if (state.idleSince !== undefined) this.topics.delete(state.base)
      resetTopic(state)
      if (eventFor !== undefined) state.failure = { eventFor }
      for (const subscriber of subscribersIn(state)) subscribers.push(subscriber)
    }
    this.isBehind = false
    this.due.clear()
    this.sentFrames = new SentFrames(this.topics, this.timeouts.confirmTimeout)
    this.unmatchedTexts = []
    this.pricePatterns = undefined
    this.nextDeadline = Infinity
    this.lastScanAt = -Infinity
    return subscribers
  }

  /** Dequeues at most `limit` frames and marks them as sent. */
  takeFrames(limit: number, now: number): readonly string[] {
    const { sentFrames, unrequestedFirst } = this
    const frames: string[] = []
    // The two queues take turns to be first: with a low limit, neither may delay the other without bound.
    if (unrequestedFirst) frames.push(...sentFrames.takeUnsubscribes(limit, now))
    for (const state of this.due) {
      if (frames.length >= limit) break
      const frame = this.takeFrame(state, now)
      if (frame !== undefined) frames.push(frame)
    }
    if (!unrequestedFirst) frames.push(...sentFrames.takeUnsubscribes(limit - frames.length, now))
    if (frames.length > 0) this.unrequestedFirst = !unrequestedFirst
    return frames
  }

  /** True if `takeFrames` may return a frame. */
  get hasPendingFrames(): boolean {
    return this.due.size > 0 || this.sentFrames.unrequestedCount > 0
  }

  /** Confirms the listed topics: a topic that is not listed may be confirmed too. */
  onConfirmation(bases: readonly Address[], now: number): Effect[] {
    const sentAt = this.sentFrames.onConfirmation(bases, (base) => this.onEnded(base))
    const effects: Effect[] = sentAt === undefined ? [] : [{ _tag: 'ProbeAnswered', sentAt }]
    for (const base of bases) {
      const state = this.topics.requested(base)
      if (state !== undefined && isUnconfirmed(state)) effects.push(...this.onActivity(state, now, 0))
    }
    return effects
  }

  /**
   * A price of a requested topic. `age`: the ms since a gateway received it, which count toward `staleAfter`. `isHeld`: it may be
   * older than `maxLag`. Then it ends no live topic: the data that has arrived may contain a newer price, and the deadline is
   * handled after it.
   */
  onPrice(
    state: SubscribedTopic,
    price: ReceivedPrice,
    now: number,
    age = 0,
    isHeld = false,
  ): readonly Effect[] {
    const { held } = state
    const delivered = isHeld ? deliveredPrice(state) : undefined
    setPrice(state, price)
    if (!isHeld) state.failure = undefined
    const effects = this.onActivity(state, now, age, isHeld && phaseOf(state) !== 'stale')
    if (!isHeld) return effects
    const isSwitched = held?.isSwitched === true
    const isReplaced = held?.hasReplaced === true || (!this.isBehind && held?.deliveredUpTo === 0)
    state.held = { hasReplaced: isReplaced && !isSwitched, deliveredUpTo: 0, delivered, isSwitched }
    return effects
  }

  /** A message of the topic was no price. It may have been a newer one: until the next price, none is current. */
  onUnreadable(state: SubscribedTopic, error: DecodeError): Effect {
    const isStale = silenceDeadline(state, this.timeouts) === Infinity
    state.live = false
    state.held = undefined
    const eventFor = failureEvent(() => error)
    state.failure = { eventFor, unreadable: { isStale } }
    return deliveryTo(state, eventFor)
  }

  /** The prices may be older than `maxLag`: no topic is live, and the newest price of each is held. */
  onBehind(now: number, behindMs: number): readonly Effect[] {
    this.isBehind = true
    const effects: Effect[] = []
    for (const state of this.topics.values()) {
      if (!state.live) continue
      state.live = false
      state.held = newlyHeld
      effects.push(failTopic(state, staleEvent(state, now, behindMs)))
    }
    return effects
  }

  /** The prices are current again. Returns the topics whose held price must be delivered. */
  onCaughtUp(now: number): readonly SubscribedTopic[] {
    this.isBehind = false
    const held: SubscribedTopic[] = []
    for (const state of this.topics.values()) {
      if (state.held === undefined) continue
      if (now - state.lastActivityAt < this.timeouts.staleAfter) {
        state.live = true
        held.push(state)
      } else {
        state.held = undefined
        // The next price ends the failure, so it must not take the fast path.
        if (state.failure !== undefined) this.forgetPattern(state)
      }
      this.schedule(state)
    }
    return held
  }

  /**
   * Returns the delivery that an error text causes, if it matches a topic. Otherwise the text is stored, for a later
   * `SubscriptionTimeout`. `shown`: the text as errors contain it.
   */
  onErrorText(text: string, now: number, shown = text): Delivery | undefined {
    const base = this.sentFrames.onErrorText(text, now)
    if (base === undefined) {
      this.unmatchedTexts = [...this.unmatchedTexts.slice(1 - maxTexts), { at: now, text: truncate(shown) }]
      return undefined
    }
    const state = this.topics.get(base)
    const eventFor = rejectedEvent(shown)
    if (state === undefined) return { subscribers: [], eventFor }
    this.remove(state)
    // On a line that stands by, it is requested again after `confirmTimeout`.
    const isStandby = state.first === undefined && state.idleSince === undefined
    if (isStandby) this.want(base, state.topic).subscribeSentAt = now
    return { subscribers: takeList(state), eventFor, completes: true }
  }

  /** Handles all passed deadlines: confirmation timeouts, stale topics, and the end of `linger`. */
  onDeadline(now: number): readonly Effect[] {
    const effects: Effect[] = []
    this.nextDeadline = Infinity
    this.lastScanAt = now
    for (const state of this.topics.values()) {
      if (releaseAt(state, this.timeouts) <= now) this.due.add(state)
      if (silenceDeadline(state, this.timeouts) <= now) effects.push(this.onSilence(state, now))
      this.schedule(state)
    }
    return effects
  }

  /** Queues the unsubscribe frames of all topics, once none of them needs the connection. */
  releaseAll(): void {
    for (const state of this.topics.values()) this.due.add(state)
  }

  private create(base: Address, topic: Topic): SubscribedTopic {
    const state = this.topics.create(base, topic)
    this.due.add(state)
    return state
  }

  private remove(state: SubscribedTopic): void {
    this.topics.delete(state.base)
    this.due.delete(state)
    this.forgetPattern(state)
    resetTopic(state)
  }

  private forgetPattern(state: SubscribedTopic): void {
    if (typeof state.framePattern === 'number') this.pricePatterns?.forget(state.framePattern)
    state.framePattern = undefined
  }

  /** `isHeld`: the topic is live whatever `age` is, until its deadline. */
  private onActivity(state: SubscribedTopic, now: number, age: number, isHeld = false): readonly Effect[] {
    const isFirst = isUnconfirmed(state)
    if (isFirst) this.sentFrames.onConfirmed(state.base)
    state.lastActivityAt = now - age
    state.live = !this.isBehind && (isHeld || age < this.timeouts.staleAfter)
    if (this.isBehind) state.held ??= newlyHeld
    if (state.isTimedOut) {
      state.isTimedOut = false
      this.due.delete(state)
    }
    this.schedule(state)
    return isFirst ? [{ _tag: 'Confirmed', state, confirmMs: now - (state.subscribeSentAt ?? now) }] : []
  }

  /** A confirmation, or a held price, was sent before the service read that the topic was left: its next request is not confirmed. */
  private onEnded(base: Address): void {
    const state = this.topics.requested(base)
    if (state === undefined || (lastPrice(state) !== undefined && state.held === undefined)) return
    Object.assign(state, { live: false, lastActivityAt: never, price: never, held: undefined })
    this.schedule(state)
  }

  private onSilence(state: SubscribedTopic, now: number): Effect {
    if (isConfirmed(state)) {
      state.live = false
      return failTopic(state, staleEvent(state, now))
    }
    const sentAt = state.subscribeSentAt ?? now
    const recent = this.unmatchedTexts.filter(({ at }) => at >= sentAt).map(({ text }) => text)
    state.isTimedOut = true
    this.due.add(state)
    const eventFor = failureEvent((topic) => subscriptionTimeout(topic, this.timeouts.confirmTimeout, recent))
    return deliveryTo(state, eventFor)
  }

  private schedule(state: SubscribedTopic): void {
    const { timeouts } = this
    const frameDeadline = this.due.has(state) ? Infinity : releaseAt(state, timeouts)
    const deadline = Math.min(frameDeadline, silenceDeadline(state, timeouts), this.nextDeadline)
    this.nextDeadline = Math.max(deadline, this.lastScanAt + this.topics.size / scannedPerMs)
  }

  /** Dequeues a topic. Returns the frame that it needs, if any, and marks it as sent. */
  private takeFrame(state: SubscribedTopic, now: number): string | undefined {
    const { sentFrames } = this
    const isRequested = state.subscribeSentAt !== undefined
    this.due.delete(state)
    if (releaseAt(state, this.timeouts) <= now) {
      if (isRequested) sentFrames.onUnsubscribe(state.base, now)
      this.remove(state)
      return isRequested ? unsubscribeFrame(state.topic) : undefined
    }
    const needsRequest = !isRequested || state.isTimedOut
    if (needsRequest) {
      state.subscribeSentAt = now
      state.isTimedOut = false
      if (sentFrames.onSubscribe(state.base, now, isRequested)) state.wasLeft = true
    }
    // The topic may be lingering: then it needs an unsubscribe frame later.
    this.schedule(state)
    return needsRequest ? subscribeFrame(state.topic) : undefined
  }
}
