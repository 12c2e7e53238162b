import { isRight } from 'fp-ts/lib/Either.js'
import { map, merge, repeat, scan, startWith, type Observable } from 'rxjs'
import type { Client, Depth, DepthError, Price, PriceError } from 'svc-streams'
import type { ListedToken } from './deployment.js'

// The state of one token, combined from its price and its depth stream.

/** Least time between two remembered prices, in ms. */
const historyStep = 500
const historyLength = 48

/** Delay before the client subscribes again to a rejected topic, in ms. */
const resubscribeDelay = 4_000

const pollInterval = 1_000

export interface TokenRow {
  readonly symbol: string
  readonly price: Price | undefined
  /** Set while there is no current price. */
  readonly priceError: PriceError | undefined
  /** Recent prices, oldest first. */
  readonly history: readonly Price[]
  readonly depth: Depth | undefined
  readonly depthError: DepthError | undefined
}

type Update = (row: TokenRow) => TokenRow

/** Emits the row on subscribe, and after each event of its streams. */
export const tokenRow$ = (client: Client, { symbol, address }: ListedToken): Observable<TokenRow> => {
  const prices$ = client.price$(`svc-${address}`).pipe(repeat({ delay: resubscribeDelay }))
  const depths$ = client.depth$(address, pollInterval)
  const updates$ = merge(
    prices$.pipe(map((event) => (isRight(event) ? setPrice(event.right) : setPriceError(event.left)))),
    depths$.pipe(map((event) => (isRight(event) ? setDepth(event.right) : setDepthError(event.left)))),
  )
  return updates$.pipe(
    scan((row, update) => update(row), emptyRow(symbol)),
    startWith(emptyRow(symbol)),
  )
}

const emptyRow = (symbol: string): TokenRow => ({
  symbol,
  price: undefined,
  priceError: undefined,
  history: [],
  depth: undefined,
  depthError: undefined,
})

const setPrice =
  (price: Price): Update =>
  (row) => ({ ...row, price, priceError: undefined, history: appendPrice(row.history, price) })

const setPriceError =
  (priceError: PriceError): Update =>
  (row) => ({ ...row, priceError })

const setDepth =
  (depth: Depth): Update =>
  (row) => ({ ...row, depth, depthError: undefined })

const setDepthError =
  (depthError: DepthError): Update =>
  (row) => ({ ...row, depthError })

const appendPrice = (history: readonly Price[], price: Price): readonly Price[] => {
  const newest = history.at(-1)
  return newest !== undefined && price.receivedAt - newest.receivedAt < historyStep
    ? history
    : [...history.slice(1 - historyLength), price]
}
