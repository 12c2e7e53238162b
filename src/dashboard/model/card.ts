import { isLeft } from 'fp-ts/lib/Either.js'
import { assertNever } from '../../domain/assert-never.js'
import type { Depth } from '../../domain/depth.js'
import type { Price } from '../../domain/price.js'
import { stale } from '../../errors/constructors.js'
import type { DepthError, PriceError } from '../../errors/model.js'
import type { DepthRow, PriceRow } from '../../recording/format/row.js'
import type { PageToken } from './page-config.js'
import type { Behind } from './service-status.js'

/**
 * `live`: the price is current. `stale`: the service is silent or behind, or its last message was unreadable. `down`: the connection
 * is down. `waiting`: no answer of the service on this connection yet. `rejected`: the service does not know the token.
 */
export type CardState = 'live' | 'stale' | 'down' | 'waiting' | 'rejected'

/** What is known of one token. */
export interface Card {
  readonly token: PageToken
  readonly state: CardState
  /** Time of the last change of the state, in ms since the Unix epoch; 0 before the first. */
  readonly stateSince: number
  /** The last price. It is current only while the state is `live`. */
  readonly price: Price | undefined
  /** When it arrived, in ms since the Unix epoch; 0 before the first. Without the age that a gateway gives it. */
  readonly priceAt: number
  /** The error because of which the price is not current. */
  readonly priceError: PriceError | undefined
  /** The last depth; not current while there is a `depthError`. */
  readonly depth: Depth | undefined
  readonly depthError: DepthError | undefined
  /** The error that the event log has, until depth is available again. */
  readonly loggedDepthError: DepthError | undefined
}

export const emptyCard = (token: PageToken): Card => ({
  token,
  state: 'waiting',
  stateSince: 0,
  price: undefined,
  priceAt: 0,
  priceError: undefined,
  depth: undefined,
  depthError: undefined,
  loggedDepthError: undefined,
})

/** Applies an event of the token's price stream. */
export const withPriceEvent = (card: Card, { at, event }: PriceRow): Card =>
  isLeft(event)
    ? { ...inState(card, stateOf(event.left, card.price), at), priceError: event.left }
    : { ...inState(card, 'live', at), price: event.right, priceAt: at, priceError: undefined }

/**
 * Applies that the service's prices are held: a price from before that is no longer current. The server sends each price
 * again when it is current.
 */
export const withHeldPrices = (card: Card, { ms, forMs }: Behind, at: number): Card => {
  const { state, price, priceAt } = card
  if (state !== 'live' || price === undefined || priceAt > at - forMs) return card
  return { ...inState(card, 'stale', at), priceError: stale(price.topic, at - priceAt, price, ms) }
}

/**
 * Applies an event of the token's depth stream. `isConnected`: false while the connection is down, when the failure of
 * depth is not worth a log entry.
 */
export const withDepthEvent = (card: Card, { event }: DepthRow, isConnected: boolean): Card => {
  if (!isLeft(event)) {
    return { ...card, depth: event.right, depthError: undefined, loggedDepthError: undefined }
  }
  const isNew = event.left._tag !== card.loggedDepthError?._tag
  return {
    ...card,
    depthError: event.left,
    loggedDepthError: isConnected && isNew ? event.left : card.loggedDepthError,
  }
}

/** Applies that the connection is down, also to a token whose stream has completed. */
export const withLostConnection = (card: Card, at: number): Card =>
  card.state === 'down' ? card : { ...inState(card, 'down', at), priceError: undefined }

/** Applies that the connection is open again: the service has not answered for the token yet. */
export const withOpenConnection = (card: Card, at: number): Card =>
  card.state === 'down' ? { ...inState(card, 'waiting', at), priceError: undefined } : card

const inState = (card: Card, state: CardState, at: number): Card =>
  card.state === state ? card : { ...card, state, stateSince: at }

const stateOf = (error: PriceError, price: Price | undefined): CardState => {
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
      return price === undefined ? 'waiting' : 'stale'
    default:
      return assertNever(error)
  }
}
