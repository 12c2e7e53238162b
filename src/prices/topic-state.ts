import type { Either } from 'fp-ts/lib/Either.js'
import type { Subscriber } from 'rxjs'
import type { Place } from '../codec/fast-path/byte-table.js'
import type { Address } from '../domain/address.js'
import type { Price } from '../domain/price.js'
import type { TopicState } from '../domain/snapshot.js'
import type { Topic } from '../domain/topic.js'
import type { PriceError } from '../errors/model.js'

// One topic's state. All times are of the clock that only moves forward, in ms.

export type PriceEvent = Either<PriceError, Price>

/** Somebody who listens, and the topic as they wrote it. */
export interface Listener {
  readonly topic: Topic
  readonly subscriber: Subscriber<PriceEvent>
}

/** A price as it came, before it is spelled for each listener. */
export type Quote = Omit<Price, 'topic'>

/** What each price touches comes first, and of that what it waits for: so it is close together in memory. */
export interface Entry {
  /** Confirmed, or priced, and not silent for too long: another price only puts its silence off. */
  live: boolean
  /** Who listens, where that is one, and the topic as they wrote it: it spares each price the way by the audience. */
  only: Subscriber<PriceEvent> | undefined
  onlyTopic: Topic
  /** When it was last heard of: the later of its confirmation and its last price. `never` while it waits. */
  heardAt: number
  /** Its last price on this connection, in USD; `never` before the first. */
  price: number
  /** When that price came, in ms since the Unix epoch, and over which connection. */
  receivedAt: number
  epoch: number
  /** Copied on every change, so that a delivery under way is not disturbed by who comes and goes. */
  audience: readonly Listener[]
  readonly base: Address
  /** The topic as it is sent: as the first who asked for it wrote it. */
  readonly topic: Topic
  /** When it was asked for on the connection that is open now. */
  askedAt: number | undefined
  /** Whether asking for it came to nothing, so that it is to be asked for again. */
  askAgain: boolean
  /** When its last listener left. */
  leftAt: number | undefined
  /** What its price updates look like. */
  known: Place | 'cannot be learned' | undefined
}

/**
 * A number all the same: what is always a floating-point number is overwritten in place by each price, where an object
 * or an `undefined` would cost an allocation that outlives the price.
 */
export const never = -Infinity

export const createEntry = (base: Address, topic: Topic): Entry => ({
  live: false,
  only: undefined,
  onlyTopic: topic,
  heardAt: never,
  price: never,
  receivedAt: never,
  epoch: 0,
  audience: [],
  base,
  topic,
  askedAt: undefined,
  askAgain: false,
  leftAt: undefined,
  known: undefined,
})

/** Forgets all that only held on a connection that is gone. */
export const disconnectEntry = (entry: Entry): void => {
  entry.askedAt = undefined
  entry.heardAt = never
  entry.price = never
  entry.live = false
  entry.askAgain = false
  entry.known = undefined
}

export const setAudience = (entry: Entry, audience: readonly Listener[]): void => {
  const [first] = audience
  entry.audience = audience
  entry.only = audience.length === 1 ? first?.subscriber : undefined
  entry.onlyTopic = first?.topic ?? entry.topic
}

export const quote = (entry: Entry, { price, receivedAt, epoch }: Quote): void => {
  entry.price = price
  entry.receivedAt = receivedAt
  entry.epoch = epoch
}

/** Its last price on this connection, if there was one. */
export const lastQuote = ({ price, receivedAt, epoch }: Entry): Quote | undefined =>
  price === never ? undefined : { price, receivedAt, epoch }

export interface Patience {
  readonly linger: number
  readonly staleAfter: number
  readonly confirmTimeout: number
}

/** Asked for on this connection, and not yet confirmed. */
export const isWaiting = (entry: Entry): boolean => entry.askedAt !== undefined && entry.heardAt === never

/** Heard of, but silent for too long since. */
export const isStale = (entry: Entry): boolean => entry.heardAt !== never && !entry.live

/** Waiting, and the wait for the answer has not ended. */
export const isUnanswered = (entry: Entry): boolean => isWaiting(entry) && !entry.askAgain

/** When it is no longer wanted, because nobody came back in time. Nobody waits for what the service does not answer. */
export const unwantedAt = ({ leftAt, askAgain }: Entry, { linger }: Patience): number => {
  if (leftAt === undefined) return Infinity
  return askAgain ? leftAt : leftAt + linger
}

/** When its silence becomes an error: it is not confirmed in time, or goes stale. */
export const silentAt = (entry: Entry, patience: Patience): number => {
  if (entry.askedAt === undefined || entry.askAgain || isStale(entry)) return Infinity
  return entry.heardAt === never
    ? entry.askedAt + patience.confirmTimeout
    : entry.heardAt + patience.staleAfter
}

export const stateOf = (entry: Entry): TopicState => {
  if (entry.leftAt !== undefined) return 'lingering'
  if (entry.live) return 'live'
  return entry.heardAt === never ? 'waiting' : 'stale'
}
