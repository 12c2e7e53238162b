import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { ignoreElements, tap, type Observable } from 'rxjs'
import { formatPrice, formatTime, formatTokens, formatUsd } from '../../view/texts.js'
import { switchesText } from '../../view/health.js'
import { isAddress, type Address, addressOf, type Topic } from '../../base/domain/topic.js'
import { assertNever } from '../../base/domain/assert-never.js'
import type { Depth, DepthSide } from '../../base/domain/depth.js'
import { withPlainDecimals } from '../../base/domain/plain-decimal.js'
import type { ConnectionStatus } from '../../base/domain/snapshot.js'
import type { AnyError } from '../../base/errors/model.js'
import { behindText, printable } from '../../base/errors/text.js'
import { encodeRow } from '../../backtest/recording/codec/row-codec.js'
import type { Row } from '../../backtest/recording/codec/row.js'
import type { Io } from '../io.js'
import type { TokenNames } from '../target/token-names.js'
import { errorText } from './error-text.js'
import { coloursFor, numberFormat, type NumberFormat } from './terminal.js'

// Events as lines: for people, and as JSON for programs.

export const printRows$ = (
  { stdout: output, env }: Io,
  rows$: Observable<Row>,
  names: TokenNames,
  json: boolean,
): Observable<never> => {
  const { failed } = coloursFor(output, env)
  const grouped = numberFormat(output)
  const lineOf = (row: Row): string => {
    if (json) return rowJson(row, names)
    const line = rowLine(row, names, grouped)
    return 'event' in row && row.event._tag === 'Left' ? failed(line) : line
  }
  return rows$.pipe(
    tap((row) => output.write(`${lineOf(row)}\n`)),
    ignoreElements(),
  )
}

/** Adds the topic and the symbol of a token at the end. A topic that the value already has stays. JSON omits an unknown symbol. */
export const withToken = <A extends object>(value: A, address: Address, names: TokenNames) => ({
  ...value,
  ...{ topic: names.topic(address), symbol: names.symbol(address) },
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
  return printable([formatTime(row.at), ...token, eventText(row, names, grouped)].join(' '))
}

const eventText = (row: Row, names: TokenNames, grouped: NumberFormat): string => {
  switch (row._tag) {
    case 'Price':
      return `price ${valueText(row.event, ({ price }) => `${grouped(formatPrice(price))} USD`)}`
    case 'Depth':
      return `depth ${valueText(row.event, (depth) => depthText(depth, row.mint, names, grouped))}`
    case 'End':
      return `${isAddress(row.of) ? 'depth' : 'price'} ended`
    case 'Status':
      return `status ${statusText(row.status)}`
    case 'Uncorrelated':
      return failureText(row.error)
    default:
      return assertNever(row)
  }
}

const valueText = <A>(event: Either<AnyError, A>, text: (value: A) => string): string =>
  isLeft(event) ? failureText(event.left) : text(event.right)

const failureText = (error: AnyError): string => `error: ${errorText(error)}`

/** Quantities have the symbol of the token as their unit, or `units`. */
const depthText = (
  { price, buy, sell }: Depth,
  mint: Address,
  names: TokenNames,
  grouped: NumberFormat,
): string => {
  const decimals = names.decimals(mint)
  const unit = decimals === undefined ? '' : ` ${names.symbol(mint) ?? 'tokens'}`
  const sideText = ({ totalQuantityUsd, totalQuantity }: DepthSide) =>
    `${grouped(formatUsd(totalQuantityUsd))} USD ${grouped(formatTokens(totalQuantity, decimals))}${unit}`
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

/** The topic or the mint of an event; `undefined` for an event of the connection. */
export const nameOf = (row: Row): Topic | Address | undefined => {
  if (row._tag === 'Price') return row.topic
  if (row._tag === 'Depth') return row.mint
  return row._tag === 'End' ? row.of : undefined
}

/** The token of an event; `undefined` for an event of the connection. */
export const rowAddress = (row: Row): Address | undefined => {
  const name = nameOf(row)
  return name === undefined || isAddress(name) ? name : addressOf(name)
}
