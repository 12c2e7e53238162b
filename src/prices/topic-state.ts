import type { Either } from 'fp-ts/lib/Either.js'
import type { Subscriber } from 'rxjs'
import type { RecordOffset } from '../codec/fast-path/byte-table.js'
import type { Address } from '../domain/address.js'
import type { Price } from '../domain/price.js'
import type { TopicSnapshotState } from '../domain/snapshot.js'
import type { Topic } from '../domain/topic.js'
import type { PriceError } from '../errors/model.js'

// One topic's state. All times are of the clock that only moves forward, in ms.

export type PriceEvent = Either<PriceError, Price>

/** Somebody who listens, and the topic as they wrote it. */
export interface PriceSubscriber {
  readonly topic: Topic
  readonly subscriber: Subscriber<PriceEvent>
}

/** A price as it came, before it is spelled for each listener. */
export type ReceivedPrice = Omit<Price, 'topic'>

/** What each price touches comes first, and of that what it waits for: so it is close together in memory. */
export interface TopicState {
  /** Confirmed, or priced, and not silent for too long: another price only puts its silence off. */
  live: boolean
  /** Who listens, where that is one, and the topic as they wrote it: it spares each price the way by the audience. */
  soleSubscriber: Subscriber<PriceEvent> | undefined
  soleTopic: Topic
  /** When it was last heard of: the later of its confirmation and its last price. `never` while it waits. */
  lastActivityAt: number
  /** Its last price on this connection, in USD; `never` before the first. */
  price: number
  /** When that price came, in ms since the Unix epoch, and over which connection. */
  receivedAt: number
  epoch: number
  /** Copied on every change, so that a delivery under way is not disturbed by who comes and goes. */
  subscribers: readonly PriceSubscriber[]
  readonly base: Address
  /** The topic as it is sent: as the first who asked for it wrote it. */
  readonly topic: Topic
  /** When it was asked for on the connection that is open now. */
  subscribeSentAt: number | undefined
  /** Whether asking for it came to nothing, so that it is to be asked for again. */
  needsResubscribe: boolean
  /** When its last listener left. */
  idleSince: number | undefined
  /** What its price updates look like. */
  pattern: RecordOffset | 'cannot be learned' | undefined
}

/**
 * A number all the same: what is always a floating-point number is overwritten in place by each price, where an object
 * or an `undefined` would cost an allocation that outlives the price.
 */
export const never = -Infinity

export const createTopicState = (base: Address, topic: Topic): TopicState => ({
  live: false,
  soleSubscriber: undefined,
  soleTopic: topic,
  lastActivityAt: never,
  price: never,
  receivedAt: never,
  epoch: 0,
  subscribers: [],
  base,
  topic,
  subscribeSentAt: undefined,
  needsResubscribe: false,
  idleSince: undefined,
  pattern: undefined,
})

/** Forgets all that only held on a connection that is gone. */
export const resetTopicState = (entry: TopicState): void => {
  entry.subscribeSentAt = undefined
  entry.lastActivityAt = never
  entry.price = never
  entry.live = false
  entry.needsResubscribe = false
  entry.pattern = undefined
}

export const setSubscribers = (entry: TopicState, audience: readonly PriceSubscriber[]): void => {
  const [first] = audience
  entry.subscribers = audience
  entry.soleSubscriber = audience.length === 1 ? first?.subscriber : undefined
  entry.soleTopic = first?.topic ?? entry.topic
}

export const setPrice = (entry: TopicState, { price, receivedAt, epoch }: ReceivedPrice): void => {
  entry.price = price
  entry.receivedAt = receivedAt
  entry.epoch = epoch
}

/** Its last price on this connection, if there was one. */
export const lastPrice = ({ price, receivedAt, epoch }: TopicState): ReceivedPrice | undefined =>
  price === never ? undefined : { price, receivedAt, epoch }

export interface TopicTimeouts {
  readonly linger: number
  readonly staleAfter: number
  readonly confirmTimeout: number
}

/** Asked for on this connection, and not yet confirmed. */
export const isWaiting = (entry: TopicState): boolean =>
  entry.subscribeSentAt !== undefined && entry.lastActivityAt === never

/** Heard of, but silent for too long since. */
export const isStale = (entry: TopicState): boolean => entry.lastActivityAt !== never && !entry.live

/** Waiting, and the wait for the answer has not ended. */
export const isUnanswered = (entry: TopicState): boolean => isWaiting(entry) && !entry.needsResubscribe

/** When it is no longer wanted, because nobody came back in time. Nobody waits for what the service does not answer. */
export const unwantedAt = (
  { idleSince, needsResubscribe }: TopicState,
  { linger }: TopicTimeouts,
): number => {
  if (idleSince === undefined) return Infinity
  return needsResubscribe ? idleSince : idleSince + linger
}

/** When its silence becomes an error: it is not confirmed in time, or goes stale. */
export const silentAt = (entry: TopicState, patience: TopicTimeouts): number => {
  if (entry.subscribeSentAt === undefined || entry.needsResubscribe || isStale(entry)) return Infinity
  return entry.lastActivityAt === never
    ? entry.subscribeSentAt + patience.confirmTimeout
    : entry.lastActivityAt + patience.staleAfter
}

export const snapshotStateOf = (entry: TopicState): TopicSnapshotState => {
  if (entry.idleSince !== undefined) return 'lingering'
  if (entry.live) return 'live'
  return entry.lastActivityAt === never ? 'waiting' : 'stale'
}
