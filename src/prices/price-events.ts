import { left, right } from 'fp-ts/lib/Either.js'
import type { Topic } from '../domain/topic.js'
import { stale, subscriptionRejected } from '../errors/constructors.js'
import type { PriceError } from '../errors/model.js'
import { truncate } from '../errors/text.js'
import {
  isStale,
  lastPrice,
  silentAt,
  type TopicState,
  type TopicTimeouts,
  type PriceEvent,
  type ReceivedPrice,
} from './topic-state.js'

/** What a listener is told, given the topic as that listener wrote it. */
export type PriceEventFactory = (topic: Topic) => PriceEvent

export const priceEvent =
  (quote: ReceivedPrice): PriceEventFactory =>
  (topic) =>
    right({ topic, ...quote })

export const failureEvent =
  (error: (topic: Topic) => PriceError): PriceEventFactory =>
  (topic) =>
    left(error(topic))

export const rejectedEvent = (text: string): PriceEventFactory => {
  const reason = truncate(text)
  return failureEvent((topic) => subscriptionRejected(topic, reason))
}

export const staleEvent = (entry: TopicState, now: number): PriceEventFactory => {
  const silentForMs = Math.round(now - entry.lastActivityAt)
  const last = lastPrice(entry)
  return failureEvent((topic) =>
    stale(topic, silentForMs, last === undefined ? undefined : { topic, ...last }),
  )
}

/**
 * What somebody who joins is told at once, if anything holds now. It does not while a silence that is too long is yet
 * to be found out, after the event loop was blocked: what has come meanwhile tells, or `Stale` does.
 */
export const initialEvent = (
  entry: TopicState,
  patience: TopicTimeouts,
  now: number,
): PriceEventFactory | undefined => {
  if (isStale(entry)) return staleEvent(entry, now)
  if (silentAt(entry, patience) <= now) return undefined
  const last = lastPrice(entry)
  return last === undefined ? undefined : priceEvent(last)
}
