import type { TopicState } from '../domain/snapshot.js'
import type { DepthError, NotFresh, PriceError } from './model.js'

type OtherState = Exclude<TopicState, 'live'>
type StreamError = PriceError | DepthError | NotFresh

const states: Readonly<Record<Exclude<StreamError['_tag'], 'DecodeError'>, OtherState>> = {
  Stale: 'stale',
  NotFresh: 'stale',
  Disconnected: 'down',
  Unauthorized: 'down',
  HttpError: 'down',
  NetworkError: 'down',
  Timeout: 'down',
  ClientClosed: 'down',
  InvalidTopic: 'rejected',
  InvalidMint: 'rejected',
  InvalidInterval: 'rejected',
  UnsupportedPair: 'rejected',
  SubscriptionRejected: 'rejected',
  SubscriptionTimeout: 'waiting',
}

/**
 * The state of a topic or of a depth after a `Left`; `waiting` for another error, as a user's own stream may have. `hasValue`:
 * there has been a price or a depth.
 */
export const topicStateOf = ({ _tag }: { readonly _tag: string }, hasValue: boolean): OtherState => {
  if (_tag === 'DecodeError') return hasValue ? 'stale' : 'waiting'
  return Object.hasOwn(states, _tag) ? states[_tag as keyof typeof states] : 'waiting'
}
