import { assertNever } from '../domain/assert-never.js'
import type { TopicState } from '../domain/snapshot.js'
import type { PriceError } from './model.js'

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
