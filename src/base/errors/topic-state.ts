import { assertNever } from '../domain/assert-never.js'
import type { PriceError } from './model.js'

/**
 * `live`: the price is current. `stale`: the service is silent or behind, or its last message was unreadable. `down`: the
 * connection is down. `waiting`: no answer of the service on this connection yet. `rejected`: the service does not know
 * the token.
 */
export type TopicState = 'live' | 'stale' | 'down' | 'waiting' | 'rejected'

/** The state of a topic after a `Left`. `hasPrice`: it has had a price. */
export const topicStateOf = (error: PriceError, hasPrice: boolean): Exclude<TopicState, 'live'> => {
  switch (error._tag) {
    case 'Stale':
      return 'stale'
    case 'Disconnected':
    case 'ClientClosed':
      return 'down'
    case 'InvalidTopic':
    case 'SubscriptionRejected':
      return 'rejected'
    case 'SubscriptionTimeout':
      return 'waiting'
    case 'DecodeError':
      return hasPrice ? 'stale' : 'waiting'
    default:
      return assertNever(error)
  }
}
