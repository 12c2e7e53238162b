import type { TopicState } from '../domain/snapshot.js'
import type { PriceError } from './model.js'

type OtherState = Exclude<TopicState, 'live'>

const states: Readonly<Record<Exclude<PriceError['_tag'], 'DecodeError'>, OtherState>> = {
  Stale: 'stale',
  Disconnected: 'down',
  ClientClosed: 'down',
  InvalidTopic: 'rejected',
  SubscriptionRejected: 'rejected',
  SubscriptionTimeout: 'waiting',
}

/**
 * The state of a topic after a `Left`, `waiting` for one that is no error of a price, as a user's own stream may have. `hasPrice`:
 * the topic has had a price.
 */
export const topicStateOf = ({ _tag }: { readonly _tag: string }, hasPrice: boolean): OtherState => {
  if (_tag === 'DecodeError') return hasPrice ? 'stale' : 'waiting'
  return Object.hasOwn(states, _tag) ? states[_tag as keyof typeof states] : 'waiting'
}
