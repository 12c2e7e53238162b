import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { ignoreElements, tap, type Observable } from 'rxjs'
import { formatPrice, formatTime, formatTokens, formatUsd } from '../../view/texts.js'
import { switchesText } from '../../view/health.js'
import { isAddress, type Address } from '../../base/domain/address.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Depth, DepthSide } from '../../base/domain/depth.js'
import { withPlainDecimals } from '../../base/domain/plain-decimal.js'
import type { Price } from '../../base/domain/price.js'
import type { ConnectionStatus } from '../../base/domain/status.js'
import { addressOf, type Topic } from '../../base/domain/topic.js'
import type { AnyError, DepthError, PriceError } from '../../base/errors/model.js'
import { behindText, printable } from '../../base/errors/text.js'
import { encodeRow } from '../../backtest/recording/codec/row-codec.js'
import type { Row } from '../../backtest/recording/codec/row.js'
import type { Variables } from '../io.js'
import type { TokenNames } from '../target/token-names.js'
import { errorText } from './error-text.js'
import { coloursFor, numberFormat, type NumberFormat } from './terminal.js'

// Events as lines: for people, and as JSON for programs.

export interface PrintOptions {
  readonly output: NodeJS.WriteStream
  /** Environment variables. */
  readonly variables: Variables
  readonly names: TokenNames
  readonly json: boolean
}

/** Prints one line per event, as JSON or for people. */
export const printRows$ = (
  rows$: Observable<Row>,
  { output, variables, names, json }: PrintOptions,
): Observable<never> => {
  const { failed } = coloursFor(output, variables)
  const grouped = numberFormat(output)
  const plainLine = (row: Row) =>
    isFailure(row) ? failed(rowLine(row, names, grouped)) : rowLine(row, names, grouped)
  const jsonLine = (row: Row) => rowJson(row, names)
  const lineOf = json ? jsonLine : plainLine
  return rows$.pipe(
    tap((row) => output.write(`${lineOf(row)}\n`)),
    ignoreElements(),
  )
}

const isFailure = (row: Row): boolean => 'event' in row && row.event._tag === 'Left'

/** The properties of JSON output that identify a token. JSON omits an unknown symbol. */
interface TokenProperties {
  readonly topic: Topic
  readonly symbol: string | undefined
}

/** Adds the topic and the symbol of a token. A topic that the value already has stays. */
export const withToken = <A extends object>(
  value: A,
  address: Address,
  names: TokenNames,
): A & TokenProperties => ({
  ...value,
  topic: names.topic(address),
  symbol: names.symbol(address),
  ...value,
})

/** An event as one line of JSON: a row of a recording, with topic and symbol unless it is an event of the connection. */
export const rowJson = (row: Row, names: TokenNames): string => {
  const address = rowAddress(row)
  return withPlainDecimals(encodeRow(address === undefined ? row : withToken(row, address, names)))
}

/** An event as one plain line: time, token, event. Numbers are in plain decimal notation. */
export const rowLine = (row: Row, names: TokenNames, grouped: NumberFormat): string => {
  const address = rowAddress(row)
  const token = address === undefined ? [] : [names.full(address)]
  const quantityText = (units: bigint) =>
    address === undefined ? '' : quantityOf(units, address, names, grouped)
  return printable([formatTime(row.at), ...token, eventText(row, grouped, quantityText)].join(' '))
}

/** A number of tokens with its unit: the symbol of the token, or `units`. */
const quantityOf = (units: bigint, address: Address, names: TokenNames, grouped: NumberFormat): string => {
  const decimals = names.decimals(address)
  const tokens = grouped(formatTokens(units, decimals))
  return decimals === undefined ? tokens : `${tokens} ${names.symbol(address) ?? 'tokens'}`
}

type QuantityText = (units: bigint) => string

const eventText = (row: Row, grouped: NumberFormat, quantityText: QuantityText): string => {
  switch (row._tag) {
    case 'Price':
      return `price ${priceText(row.event, grouped)}`
    case 'Depth':
      return `depth ${depthText(row.event, grouped, quantityText)}`
    case 'End':
      return `${streamName(row.of)} ended`
    case 'Status':
      return `status ${statusText(row.status)}`
    case 'Uncorrelated':
      return failureText(row.error)
    default:
      return assertNever(row)
  }
}

const failureText = (error: AnyError): string => `error: ${errorText(error)}`

const streamName = (stream: string): string => (isAddress(stream) ? 'depth' : 'price')

const priceText = (event: Either<PriceError, Price>, grouped: NumberFormat): string =>
  isLeft(event) ? failureText(event.left) : `${grouped(formatPrice(event.right.price))} USD`

const depthText = (
  event: Either<DepthError, Depth>,
  grouped: NumberFormat,
  quantityText: QuantityText,
): string => {
  if (isLeft(event)) return failureText(event.left)
  const { price, buy, sell } = event.right
  const sideText = ({ totalQuantityUsd, totalQuantity }: DepthSide) =>
    `${grouped(formatUsd(totalQuantityUsd))} USD ${quantityText(totalQuantity)}`
  return `${grouped(formatPrice(price))} USD, buy ${sideText(buy)}, sell ${sideText(sell)}`
}

export const statusText = (status: ConnectionStatus): string => {
  switch (status._tag) {
    case 'Idle':
      return 'idle'
    case 'Connecting':
      return `connecting, attempt ${status.attempt}`
    case 'Open': {
      const { epoch, behindMs, switches = 0 } = status
      const again = epoch > 1 ? 'connected again' : 'connected'
      const state = switches > 0 ? `connected, ${switchesText(switches)}` : again
      return behindMs === undefined ? state : `${state}, ${behindText(behindMs)}`
    }
    case 'Waiting':
      return `down${status.reason === '' ? '' : ` (${status.reason})`}, next attempt in ${status.retryInMs} ms`
    case 'Closed':
      return 'closed'
    default:
      return assertNever(status)
  }
}

/** The token of an event; `undefined` for an event of the connection. */
export const rowAddress = (row: Row): Address | undefined => {
  switch (row._tag) {
    case 'Price':
      return addressOf(row.topic)
    case 'Depth':
      return row.mint
    case 'End':
      return isAddress(row.of) ? row.of : addressOf(row.of)
    case 'Status':
    case 'Uncorrelated':
      return undefined
    default:
      return assertNever(row)
  }
}
