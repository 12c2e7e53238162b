import { isLeft } from 'fp-ts/lib/Either.js'
import type { Address } from '../base/domain/topic.js'
import type { Depth } from '../base/domain/depth.js'
import type { Price } from '../base/domain/price.js'
import { stale } from '../base/errors/constructors.js'
import type { DepthError, PriceError } from '../base/errors/model.js'
import type { TopicState } from '../base/domain/snapshot.js'
import { topicStateOf } from '../base/errors/topic-state.js'
import type { DepthRow, PriceRow } from '../backtest/recording/codec/row.js'

export interface DisplayToken {
  readonly address: Address
  /** The symbol, or the abbreviated address of a token without one. */
  readonly symbol: string
  /** `null` if unknown: quantities are then not converted to tokens. */
  readonly decimals: number | null
}

export interface TokenState {
  readonly token: DisplayToken
  readonly state: TopicState
  /** Time of the last change of the state, in ms since the Unix epoch; 0 before the first. */
  readonly stateSince: number
  /** The last price. It is current only while the state is `live`. */
  readonly price: Price | undefined
  /** When it arrived, in ms since the Unix epoch; 0 before the first. Without the age that a gateway gives it. */
  readonly priceAt: number
  /** The last price minus the previous price, in USD. */
  readonly change: number | undefined
  /** The error because of which the price is not current. A rejection remains while the connection is down. */
  readonly priceError: PriceError | undefined
  /** The last depth; not current while there is a `depthError`. */
  readonly depth: Depth | undefined
  readonly depthError: DepthError | undefined
  /** The depth error that was reported while connected, until depth is available again. */
  readonly loggedDepthError: DepthError | undefined
}

export const initialTokenState = (token: DisplayToken): TokenState => ({
  token,
  state: 'waiting',
  stateSince: 0,
  price: undefined,
  priceAt: 0,
  change: undefined,
  priceError: undefined,
  depth: undefined,
  depthError: undefined,
  loggedDepthError: undefined,
})

export const withPriceEvent = (token: TokenState, { at, event }: PriceRow): TokenState =>
  isLeft(event)
    ? {
        ...inState(token, topicStateOf(event.left, token.price !== undefined), at),
        priceError: event.left,
      }
    : {
        ...inState(token, 'live', at),
        price: event.right,
        priceAt: at,
        change: token.price === undefined ? undefined : event.right.price - token.price.price,
        priceError: undefined,
      }

/**
 * Called when the service's prices are held, with the upper bound of their age: earlier prices are no longer current, and no
 * price arrives because of that. The server sends each price again when it is current.
 */
export const withHeldPrices = (token: TokenState, behindMs: number, at: number): TokenState => {
  const { state, price, priceAt, priceError } = token
  const isSilent = priceError?._tag === 'Stale' && priceError.behindMs === undefined
  return (state !== 'live' && !isSilent) || price === undefined
    ? token
    : { ...inState(token, 'stale', at), priceError: stale(price.topic, at - priceAt, price, behindMs) }
}

/** `isConnected`: false while the connection is down: the failure of depth is then not reported. */
export const withDepthEvent = (token: TokenState, { event }: DepthRow, isConnected: boolean): TokenState => {
  if (!isLeft(event)) {
    return { ...token, depth: event.right, depthError: undefined, loggedDepthError: undefined }
  }
  const isNew = event.left._tag !== token.loggedDepthError?._tag
  return {
    ...token,
    depthError: event.left,
    loggedDepthError: isConnected && isNew ? event.left : token.loggedDepthError,
  }
}

/** Called when the connection is down, also for a token whose stream has ended. */
export const withLostConnection = (token: TokenState, at: number): TokenState =>
  token.state === 'down'
    ? token
    : { ...inState(token, 'down', at), priceError: token.state === 'rejected' ? token.priceError : undefined }

/** Called when the connection is open again: the service has not answered for the token yet, unless it was rejected. */
export const withOpenConnection = (token: TokenState, at: number): TokenState => {
  const { state, priceError: error } = token
  if (state !== 'down') return token
  return error !== undefined && topicStateOf(error, true) === 'rejected'
    ? inState(token, 'rejected', at)
    : { ...inState(token, 'waiting', at), priceError: undefined }
}

const inState = (token: TokenState, state: TopicState, at: number): TokenState =>
  token.state === state ? token : { ...token, state, stateSince: at }
