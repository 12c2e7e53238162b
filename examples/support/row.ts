import { isRight } from 'fp-ts/lib/Either.js'
import { map, merge, repeat, scan, startWith, type Observable } from 'rxjs'
import type { Client, Depth, DepthError, Price, PriceError } from 'svc-streams'
import type { ListedToken } from './deployment.js'

// What is known of one token now, put together from its two streams.

/** How far apart the remembered prices are, in ms, and how many there are. */
const spacing = 500
const remembered = 48

/** How long after a rejection a topic is asked for again, in ms. */
const askAgainAfter = 4_000

const pollInterval = 1_000

export interface Row {
  readonly symbol: string
  readonly price: Price | undefined
  /** Why there is no current price. */
  readonly priceError: PriceError | undefined
  /** Prices of the last while, oldest first. */
  readonly course: readonly Price[]
  readonly depth: Depth | undefined
  readonly depthError: DepthError | undefined
}

type Change = (row: Row) => Row

/** The row at once, and again after each event of its streams. */
export const row$ = (client: Client, { symbol, address }: ListedToken): Observable<Row> => {
  const prices$ = client.price$(`svc-${address}`).pipe(repeat({ delay: askAgainAfter }))
  const depths$ = client.depth$(address, pollInterval)
  const changes$ = merge(
    prices$.pipe(map((event) => (isRight(event) ? priced(event.right) : priceFailed(event.left)))),
    depths$.pipe(map((event) => (isRight(event) ? deep(event.right) : depthFailed(event.left)))),
  )
  return changes$.pipe(
    scan((row, change) => change(row), empty(symbol)),
    startWith(empty(symbol)),
  )
}

const empty = (symbol: string): Row => ({
  symbol,
  price: undefined,
  priceError: undefined,
  course: [],
  depth: undefined,
  depthError: undefined,
})

const priced =
  (price: Price): Change =>
  (row) => ({ ...row, price, priceError: undefined, course: remember(row.course, price) })

const priceFailed =
  (priceError: PriceError): Change =>
  (row) => ({ ...row, priceError })

const deep =
  (depth: Depth): Change =>
  (row) => ({ ...row, depth, depthError: undefined })

const depthFailed =
  (depthError: DepthError): Change =>
  (row) => ({ ...row, depthError })

const remember = (course: readonly Price[], price: Price): readonly Price[] => {
  const newest = course.at(-1)
  return newest !== undefined && price.receivedAt - newest.receivedAt < spacing
    ? course
    : [...course.slice(1 - remembered), price]
}
