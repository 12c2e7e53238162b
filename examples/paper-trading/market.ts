import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { map, merge, type Observable } from 'rxjs'
import {
  renderError,
  type Client,
  type DefinedToken,
  type Depth,
  type DepthError,
  type Price,
  type PriceError,
} from 'svc-streams'
import { unitPrice, type UnitPrice } from './money.js'
import type { Side } from './order.js'

// The events of all tokens in the order of their arrival, and the last ones of each token.

/** The part of a client that trades need: live, a replay, or a test client. */
export type MarketClient = Pick<Client, 'price$' | 'depth$'>

export type MarketEvent =
  | { readonly _tag: 'Price'; readonly symbol: string; readonly event: Either<PriceError, Price> }
  | { readonly _tag: 'Depth'; readonly symbol: string; readonly event: Either<DepthError, Depth> }

export const market$ = (
  client: MarketClient,
  tokens: Iterable<DefinedToken>,
  interval: number,
): Observable<MarketEvent> =>
  merge(
    ...[...tokens].flatMap(({ symbol, topic, address }): readonly Observable<MarketEvent>[] => [
      client.price$(topic).pipe(map((event) => ({ _tag: 'Price', symbol, event }))),
      client.depth$(address, interval).pipe(map((event) => ({ _tag: 'Depth', symbol, event }))),
    ]),
  )

/** The state of one token. A `Left` contains the reason why there is no current value. */
export interface Quote {
  readonly price: Either<string, Price>
  readonly depth: Either<string, Depth>
  /** The price that values a position while there is no current one; undefined before the first price. */
  readonly lastPrice: number | undefined
  /**
   * The service's time of the last depth. The service may answer several polls with one snapshot, whose quantities can be
   * traded only once.
   */
  readonly bookAt: number | undefined
  /** The quantity that orders have taken from each side of this snapshot, in base-token units. */
  readonly taken: Readonly<Record<Side, bigint>>
}

const untouched = { buy: 0n, sell: 0n }

export const unknownQuote: Quote = {
  price: left('no price yet'),
  depth: left('no depth yet'),
  lastPrice: undefined,
  bookAt: undefined,
  taken: untouched,
}

export const updateQuote = (quote: Quote, market: MarketEvent): Quote => {
  if (market._tag === 'Price') {
    const { event } = market
    if (isLeft(event)) return { ...quote, price: left(renderError(event.left)) }
    return { ...quote, price: event, lastPrice: event.right.price }
  }
  const { event } = market
  if (isLeft(event)) return { ...quote, depth: left(renderError(event.left)) }
  const { timestamp } = event.right
  return {
    ...quote,
    depth: event,
    bookAt: timestamp,
    taken: timestamp === quote.bookAt ? quote.taken : untouched,
  }
}

export const valuationPrice = ({ lastPrice }: Quote): UnitPrice =>
  lastPrice === undefined ? 0n : unitPrice(lastPrice)
