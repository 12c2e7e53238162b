import { left, right } from 'fp-ts/lib/Either.js'
import type { Topic } from '../domain/topic.js'
import { stale, subscriptionRejected } from '../errors/constructors.js'
import type { PriceError } from '../errors/model.js'
import { truncate } from '../errors/text.js'
import type { PriceEvent } from './subscriber-list.js'
import {
  lastPrice,
  phaseOf,
  silenceDeadline,
  type ReceivedPrice,
  type TopicState,
  type TopicTimeouts,
} from './topic-state.js'

/** Builds the event for one subscriber, from the topic as that subscriber wrote it. */
export type PriceEventFactory = (topic: Topic) => PriceEvent

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
export const staleEvent = (state: TopicState, now: number, behindMs?: number): PriceEventFactory => {
  const silentForMs = Math.round(now - state.lastActivityAt)
  const last = lastPrice(state)
  return failureEvent((topic) =>
    stale(topic, silentForMs, last === undefined ? undefined : { topic, ...last }, behindMs),
  )
}

/**
 * The initial event for a late subscriber. There is none before the first price, and none while a deadline has passed
 * but is not handled yet (after a blocked event loop): the next frame or the `Stale` event decides.
 */
export const initialEvent = (
  state: TopicState,
  timeouts: TopicTimeouts,
  now: number,
  behindMs?: number,
): PriceEventFactory | undefined => {
  if (phaseOf(state) === 'stale') return staleEvent(state, now, behindMs)
  if (silenceDeadline(state, timeouts) <= now) return undefined
  const last = lastPrice(state)
  return last === undefined ? undefined : priceEvent(last)
}
