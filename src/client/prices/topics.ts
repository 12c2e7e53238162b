import { left, right } from 'fp-ts/lib/Either.js'
import type { RecordOffset } from '../../wire/codec/fast-path.js'
import type { Address, Topic } from '../../base/domain/topic.js'
import { assertNever } from '../../base/domain/assert-never.js'
import { newRun, type PricePosition } from '../../base/domain/past.js'
import type { TopicSnapshot } from '../../base/domain/snapshot.js'
import { stale, subscriptionRejected } from '../../base/errors/constructors.js'
import type { PriceError } from '../../base/errors/model.js'
import { truncate } from '../../base/errors/text.js'
import { moveList, type PriceEventFactory, type ReceivedPrice, type SubscriberList } from './subscribers.js'

// The state of one topic on one connection, and the table of all of them. All times are monotonic, in ms, except `receivedAt`.

/** Fields that every price reads or writes come first, so that they share a cache line. */
export interface SubscribedTopic extends SubscriberList {
  /** True if the topic is confirmed or has a price, is not stale, and the connection is not behind. */
  live: boolean
  /** Time of the last confirmation or price; `never` before the first. */
  lastActivityAt: number
  /** The last price on this connection, in USD; `never` before the first. */
  price: number
  /** When that price arrived, in ms since the Unix epoch. */
  receivedAt: number
  /** The number of the connection over which that price arrived. */
  epoch: number
  /** The position of that price: its number in the run, which is the client's own or that of the gateway. */
  count: number
  /** Empty until `positionIn` gives the run an id. */
  run: string
  /** The canonical key: the lower-cased base address. */
  readonly base: Address
  /** When the last subscribe frame was sent on the open connection. */
  subscribeSentAt: number | undefined
  /** True if the topic was requested and left before, on the open connection: a price before the answer may be an earlier one. */
  wasLeft: boolean
  /** True after a confirmation timeout: the topic must be requested again. */
  isTimedOut: boolean
  /** When the last subscriber unsubscribed; `undefined` while there are subscribers. */
  idleSince: number | undefined
  /** The last failure of the topic, until its next price is delivered. Late subscribers receive it. */
  failure: TopicFailure | undefined
  /** Defined if the last price is not delivered yet, because it may be older than `maxLag`. */
  held: HeldPrice | undefined
  /** The offset of the topic's byte pattern in the fast path. `undefined` before the first price. */
  framePattern: RecordOffset | 'not learnable' | undefined
}

export interface TopicFailure {
  readonly eventFor: PriceEventFactory
  /**
   * Present if the last message of the topic was no price: it may have been a newer one, so that none is current. `isStale`: the
   * topic was stale before, and `Stale` is emitted once.
   */
  readonly unreadable?: { readonly isStale: boolean }
}

export interface HeldPrice {
  /** True if it replaced a held price, which is then never delivered. */
  readonly hasReplaced: boolean
  /** The position of the last subscriber that has received it; 0 if none has. */
  readonly deliveredUpTo: number
  /** The price before it, as `deliveredPrice` returned it. */
  readonly delivered?: DeliveredPrice | undefined
  /** True if another line was in front before: a price that equals `delivered` is not delivered again. */
  readonly isSwitched?: boolean | undefined
}

/** A price, in USD, and the position of the last subscriber that has received it. */
interface DeliveredPrice {
  readonly price: number
  readonly deliveredUpTo: number
}

/** No subscriber has received it, and none misses an earlier one. */
export const newlyHeld: HeldPrice = { hasReplaced: false, deliveredUpTo: 0 }

/** A time or price that is not set. A number: V8 updates a field in place that always holds a double, and allocates otherwise. */
export const never = -Infinity

export const createTopic = (base: Address, topic: Topic): SubscribedTopic => ({
  live: false,
  soleSubscriber: undefined,
  topic,
  lastActivityAt: never,
  price: never,
  receivedAt: never,
  epoch: 0,
  count: 0,
  run: '',
  first: undefined,
  last: undefined,
  base,
  subscribeSentAt: undefined,
  wasLeft: false,
  isTimedOut: false,
  idleSince: undefined,
  failure: undefined,
  held: undefined,
  framePattern: undefined,
})

/** Clears everything that is valid for one connection only. */
export const resetTopic = (state: SubscribedTopic): void => {
  const { first, last, soleSubscriber, idleSince } = state
  Object.assign(state, createTopic(state.base, state.topic), { first, last, soleSubscriber, idleSince })
}

export const setPrice = (state: SubscribedTopic, { price, receivedAt, epoch }: ReceivedPrice): void => {
  state.price = price
  state.receivedAt = receivedAt
  state.epoch = epoch
}

/** A price has arrived. `position`: as the gateway sent it; without one, the price follows the previous one. */
export const countPrice = (state: SubscribedTopic, position: PricePosition | undefined): void => {
  if (position === undefined) state.count++
  else setPosition(state, position)
}

/** A confirmation has arrived, with the position of the last price. */
export const setPosition = (state: SubscribedTopic, { run, count }: PricePosition): void => {
  state.run = run
  state.count = count
}

/** The position of the last price. A run gets its id when its position is read first. The object changes with the next price. */
export const positionIn = (state: SubscribedTopic): PricePosition => {
  if (state.run === '') state.run = newRun()
  return state
}

/** The last price on this connection, if there is one. */
export const lastPrice = ({ price, receivedAt, epoch }: SubscribedTopic): ReceivedPrice | undefined =>
  price === never ? undefined : { price, receivedAt, epoch }

/** All in ms. */
export interface TopicTimeouts {
  readonly linger: number
  readonly staleAfter: number
  readonly confirmTimeout: number
}

/**
 * The phases of a topic on the open connection: `unsent`; `pending` until the service confirms it or sends a price;
 * `timed-out` after `confirmTimeout`; `live`; `unreadable` after a message without a price; `stale` after `staleAfter`.
 * Every other property is derived from it.
 */
export type TopicPhase = 'unsent' | 'pending' | 'timed-out' | 'live' | 'unreadable' | 'stale'

export const phaseOf = (state: SubscribedTopic): TopicPhase => {
  if (state.live) return 'live'
  if (isConfirmed(state)) return state.failure?.unreadable !== undefined ? 'unreadable' : 'stale'
  if (state.subscribeSentAt === undefined) return 'unsent'
  return state.isTimedOut ? 'timed-out' : 'pending'
}

/** True if the service has confirmed the topic, or sent a price of it, on the open connection. */
export const isConfirmed = ({ lastActivityAt }: SubscribedTopic): boolean => lastActivityAt !== never

/** True if the topic has a price on the open connection that is current, as far as the service has sent it. */
export const hasCurrentPrice = ({ live, price }: SubscribedTopic): boolean => live && price !== never

/** The line of `to` replaces that of `from`: a price that it does not have was sent before it had the topic, or is on its way. */
export const copyPrice = (from: SubscribedTopic, to: SubscribedTopic | undefined): void => {
  if (!hasCurrentPrice(from) || to?.live !== true || to.price !== never) return
  to.price = from.price
  to.receivedAt = from.receivedAt
  to.lastActivityAt = from.lastActivityAt
}

/**
 * Another line comes to the front: moves the subscribers of a topic to its state there, whose price is held until it is
 * proven, and their last failure; without one, that of an unreadable message there remains. `isPlanned`: no price was missed
 * since the topic was confirmed there. `isLost`: they have a price, and the topic has no current one there. `isConfirmed`: the
 * topic is only confirmed there.
 */
export const takeOver = (from: SubscribedTopic, to: SubscribedTopic, isPlanned: boolean) => {
  const hadPrice = hasCurrentPrice(from) && from.failure === undefined
  const isLost = hadPrice && !(isPlanned ? to.live : hasCurrentPrice(to))
  if (to.live && !isLost) to.held = { ...newlyHeld, delivered: deliveredPrice(from), isSwitched: true }
  to.failure = from.failure ?? (phaseOf(to) === 'unreadable' ? to.failure : undefined)
  moveList(from, to)
  return { isLost, isConfirmed: isConfirmed(to) && !isConfirmed(from) }
}

/** The last delivered price, if no failure followed it. */
export const deliveredPrice = (state: SubscribedTopic): DeliveredPrice | undefined => {
  const { price, last, held } = state
  if (state.failure !== undefined || (held === undefined && !hasCurrentPrice(state))) return undefined
  if (held?.deliveredUpTo === 0) return held.delivered
  return { price, deliveredUpTo: held?.deliveredUpTo ?? last?.position ?? 0 }
}

/** True while the service may still confirm or reject the subscribe frame. */
export const isUnconfirmed = (state: SubscribedTopic): boolean =>
  state.subscribeSentAt !== undefined && !isConfirmed(state)

/** When to unsubscribe a topic without subscribers. After a confirmation timeout the topic does not linger. */
export const releaseAt = (state: SubscribedTopic, { linger }: TopicTimeouts): number => {
  const { idleSince } = state
  if (idleSince === undefined) return Infinity
  return state.isTimedOut ? idleSince : idleSince + linger
}

/** When the confirmation times out or the topic becomes stale; `Infinity` if neither is due. */
export const silenceDeadline = (state: SubscribedTopic, timeouts: TopicTimeouts): number => {
  const phase = phaseOf(state)
  if (phase === 'unreadable' && state.failure?.unreadable?.isStale === true) return Infinity
  switch (phase) {
    case 'pending':
      return (state.subscribeSentAt ?? never) + timeouts.confirmTimeout
    case 'live':
    case 'unreadable':
      return state.lastActivityAt + timeouts.staleAfter
    case 'unsent':
    case 'timed-out':
    case 'stale':
      return Infinity
    default:
      return assertNever(phase)
  }
}

/**
 * The state of a topic in `inspect()`. `isDown`: the connection is lost. `isLate`: the last prices may be older than `maxLag`,
 * although no `Stale` has been emitted yet.
 */
export const shownStateOf = (
  state: SubscribedTopic,
  timeouts: TopicTimeouts,
  now: number,
  isDown: boolean,
  isLate: boolean,
): TopicSnapshot['state'] => {
  if (state.idleSince !== undefined) return 'lingering'
  if (isDown) return 'down'
  const phase = phaseOf(state)
  if (phase === 'live') {
    if (isLate || silenceDeadline(state, timeouts) <= now) return 'stale'
    if (state.price === never) return state.failure?.unreadable === undefined ? 'waiting' : 'stale'
    if (state.failure !== undefined) return 'stale'
    return deliveredPrice(state) === undefined ? 'waiting' : 'live'
  }
  if (phase === 'stale') return 'stale'
  return phase === 'unreadable' && state.price !== never ? 'stale' : 'waiting'
}

// The events of a topic, by its state.

/**
 * The first event of a late subscriber: the last failure until the next price is delivered. There is none before the first price,
 * for a held price, which is delivered to all subscribers or replaced by `Stale`, and after a deadline that a blocked event loop
 * has not handled: the next frame or the `Stale` event decides.
 */
export const firstEvent = (
  state: SubscribedTopic,
  timeouts: TopicTimeouts,
  now: number,
  behindMs?: number,
): PriceEventFactory | undefined => {
  const { failure, live, held } = state
  if (phaseOf(state) === 'stale') return staleEvent(state, now, behindMs)
  if (failure !== undefined) return failure.eventFor
  if ((live && held !== undefined) || silenceDeadline(state, timeouts) <= now) return undefined
  const last = lastPrice(state)
  return last === undefined ? undefined : priceEvent(last)
}

export const priceEvent =
  (price: ReceivedPrice): PriceEventFactory =>
  (topic) =>
    right({ topic, ...price })

export const failureEvent =
  (error: (topic: Topic) => PriceError): PriceEventFactory =>
  (topic) =>
    left(error(topic))

export const rejectedEvent = (text: string): PriceEventFactory => {
  const reason = truncate(text)
  return failureEvent((topic) => subscriptionRejected(topic, reason))
}

/** `behindMs`: defined if the connection is behind. */
export const staleEvent = (state: SubscribedTopic, now: number, behindMs?: number): PriceEventFactory => {
  const silentForMs = Math.round(now - state.lastActivityAt)
  const last = lastPrice(state)
  return failureEvent((topic) =>
    stale(topic, silentForMs, last === undefined ? undefined : { topic, ...last }, behindMs),
  )
}

/** `{"subscriptions":[]}`, with spaces, in bytes. */
const confirmationOverhead = 32

/** A topic in a confirmation, in bytes: with its quote address, quotation marks, comma and space. */
const listedSize = (topic: Topic): number => topic.length + 48

/** The topics that one connection keeps, by their base address, in the order of their creation. */
export class TopicTable extends Map<Address, SubscribedTopic> {
  /** Size of the longest topic so far in a confirmation, in bytes. */
  private longest = 0

  /** Returns `undefined` for a topic that is not requested on this connection. */
  requested(base: Address): SubscribedTopic | undefined {
    const state = this.get(base)
    return state?.subscribeSentAt === undefined ? undefined : state
  }

  /** False if a confirmation that lists all topics and this one could exceed `maxFrameBytes`. The first always has room. */
  hasRoomFor(topic: Topic, maxFrameBytes: number): boolean {
    const longest = Math.max(this.longest, listedSize(topic))
    return this.size === 0 || confirmationOverhead + (this.size + 1) * longest <= maxFrameBytes
  }

  create(base: Address, topic: Topic): SubscribedTopic {
    const state = createTopic(base, topic)
    this.set(base, state)
    this.longest = Math.max(this.longest, listedSize(topic))
    return state
  }
}
