import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { Publish } from '../../base/diagnostics/messages.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Topic } from '../../base/domain/topic.js'
import { stale, subscriptionRejected } from '../../base/errors/constructors.js'
import type { PriceError } from '../../base/errors/model.js'
import { truncate } from '../../base/errors/text.js'
import type { PriceEvent, PriceEventFactory, ReceivedPrice } from './subscribers.js'
import { lastPrice, phaseOf, silenceDeadline, type SubscribedTopic, type TopicTimeouts } from './topics.js'

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

/**
 * The initial event for a late subscriber. There is no such event before the first price. After a blocked event loop, a
 * deadline may have passed without being handled: there is no such event then either, and the next frame or the `Stale`
 * event decides.
 */
export const initialEvent = (
  state: SubscribedTopic,
  timeouts: TopicTimeouts,
  now: number,
  behindMs?: number,
): PriceEventFactory | undefined => {
  const { unreadable } = state
  if (unreadable !== undefined) return failureEvent(() => unreadable)
  if (phaseOf(state) === 'stale') return staleEvent(state, now, behindMs)
  if (silenceDeadline(state, timeouts) <= now) return undefined
  const last = lastPrice(state)
  return last === undefined ? undefined : priceEvent(last)
}

interface FailureChannel {
  /** Host and port of the service. */
  readonly host: string
  readonly publish: Publish
}

/** Publishes the failure that a topic's subscribers received, on its diagnostics channel. */
export const publishFailure = ({ host, publish }: FailureChannel, event: PriceEvent | undefined): void => {
  if (event === undefined || !isLeft(event)) return
  const error = event.left
  switch (error._tag) {
    case 'SubscriptionRejected':
      return publish('svc-streams:rejected', () => ({ host, error }))
    case 'SubscriptionTimeout':
      return publish('svc-streams:unanswered', () => ({ host, error }))
    case 'Stale':
      return publish('svc-streams:stale', () => ({ host, error }))
    // Published elsewhere: `disconnected` by the socket, `decode-error` by the frame handler.
    case 'Disconnected':
    case 'DecodeError':
    case 'InvalidTopic':
    case 'ClientClosed':
      return
    default:
      return assertNever(error)
  }
}
