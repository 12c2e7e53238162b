// A user's pipes and error handling under the strictest compiler settings. It is compiled, not run.
import type { Either } from 'fp-ts/lib/Either.js'
import { merge, type Observable } from 'rxjs'
import {
  matchError,
  renderError,
  type Client,
  type Depth,
  type DepthError,
  type NotFresh,
  type Price,
  type PriceError,
} from 'svc-streams'
import {
  candles,
  combineFresh,
  conflate,
  filterRight,
  freshWithin,
  lefts,
  mapRight,
  orThrow,
  rights,
  scanRight,
  switchMapRight,
  tapLeft,
  type Candle,
} from 'svc-streams/operators'

/** A delay in ms for some errors. `_` takes the other errors. */
export const shortDelayFor = (error: PriceError): number =>
  matchError(error, {
    Disconnected: ({ retryInMs }) => retryInMs,
    Stale: ({ silentForMs }) => silentForMs,
    _: ({ _tag }) => (_tag === 'ClientClosed' ? 0 : 1000),
  })

/** A text for each reason that a pair of legs is not current. */
export const textOf = (fault: NotFresh<'eth' | 'btc', DepthError>): string => {
  switch (fault.why) {
    case 'missing':
      return fault.leg
    case 'left':
      return renderError(fault.error)
    case 'skew':
      return fault.skewMs.toFixed()
    case 'age':
      return fault.ageMs.toFixed()
  }
}

/** The depth of both tokens on the sell side, in USD, while both are current. */
export const sellable$ = (client: Client): Observable<number> => {
  const both = { eth: client.depth$('0xaa', 1000), btc: client.depth$('0xbb', 1000) }
  return combineFresh(both, { maxSkew: 5000 }).pipe(
    tapLeft((fault) => textOf(fault)),
    mapRight(({ eth, btc }) => eth.sell.totalQuantityUsd + btc.sell.totalQuantityUsd),
    rights(),
  )
}

/** The errors, the values and the prices of two merged streams. */
export const merged$ = (
  client: Client,
): readonly [Observable<PriceError | DepthError>, Observable<Price | Depth>, Observable<number>] => {
  const both$ = merge(client.price$('svc-0xaa'), client.depth$('0xaa', 1000))
  return [
    both$.pipe(lefts()),
    both$.pipe(
      freshWithin(500),
      filterRight((value) => value.price > 0),
      orThrow(),
    ),
    both$.pipe(
      tapLeft(({ message }) => message.length),
      mapRight((value) => ('mint' in value ? value.buy.totalQuantityUsd : value.price)),
      rights(),
    ),
  ]
}

/** The depth, while the last price is above its average. */
export const depthAboveAverage$ = (client: Client): Observable<Either<PriceError | DepthError, Depth>> =>
  client.price$('svc-0xaa').pipe(
    scanRight((average, { price }) => ({ of: average.of + (price - average.of) / 10, price }), {
      of: 0,
      price: 0,
    }),
    filterRight((average): average is { of: number; price: number } => average.price > average.of),
    switchMapRight(() => client.depth$('0xaa', 1000)),
  )

/** Operators outside of a pipe. Their types appear in the declarations of this module. */
export const pricesOnly = rights<PriceError, Price>()
export const closesOnly = mapRight((candle: Candle) => candle.close)
export const fresh = (client: Client) => combineFresh({ price: client.price$('svc-0xaa') }, { maxSkew: 1 })

/** The close of each second. */
export const closes$ = (prices$: Observable<Either<PriceError, Price>>): Observable<number> =>
  prices$.pipe(
    freshWithin(500),
    candles(1000),
    conflate(2000),
    mapRight(({ value }) => value.close),
    rights(),
  )
