import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { isAddress, type Address } from '../../domain/address.js'
import { assertNever } from '../../domain/assert-never.js'
import type { Depth, DepthSide } from '../../domain/depth.js'
import type { Price } from '../../domain/price.js'
import type { DepthError, PriceError } from '../../errors/model.js'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import type { Row } from '../../recording/format/row.js'
import { formatPrice, formatTokens, formatUsd } from '../../display/numbers.js'
import type { TokenNames } from '../tokens/token-names.js'
import { formatTime } from './format.js'
import { rowAddress } from './row-address.js'
import { statusText } from './status-text.js'

/** An event as one plain line: time, token, event. Numbers are in plain decimal notation, so that programs can parse them. */
export const rowLine = (row: Row, names: TokenNames): string => {
  const address = rowAddress(row)
  const token = address === undefined ? [] : [names.full(address)]
  const quantityText = (units: bigint) => (address === undefined ? '' : quantityOf(units, address, names))
  return printable([formatTime(row.at), ...token, eventText(row, quantityText)].join(' '))
}

/** A number of tokens with its unit: the symbol of the token, or `units`. */
const quantityOf = (units: bigint, address: Address, names: TokenNames): string => {
  const decimals = names.decimals(address)
  const tokens = formatTokens(units, decimals)
  return decimals === undefined ? tokens : `${tokens} ${names.symbol(address) ?? 'tokens'}`
}

type QuantityText = (units: bigint) => string

const eventText = (row: Row, quantityText: QuantityText): string => {
  switch (row._tag) {
    case 'Price':
      return `price ${priceText(row.event)}`
    case 'Depth':
      return `depth ${depthText(row.event, quantityText)}`
    case 'End':
      return `${streamName(row.of)} ended`
    case 'Status':
      return `status ${statusText(row.status)}`
    case 'Uncorrelated':
      return renderError(row.error)
    default:
      return assertNever(row)
  }
}

const streamName = (stream: string): string => (isAddress(stream) ? 'depth' : 'price')

const priceText = (event: Either<PriceError, Price>): string =>
  isLeft(event) ? renderError(event.left) : `${formatPrice(event.right.price)} USD`

const depthText = (event: Either<DepthError, Depth>, quantityText: QuantityText): string => {
  if (isLeft(event)) return renderError(event.left)
  const { price, buy, sell } = event.right
  const sideText = ({ totalQuantityUsd, totalQuantity }: DepthSide) =>
    `${formatUsd(totalQuantityUsd)} USD ${quantityText(totalQuantity)}`
  return `${formatPrice(price)} USD, buy ${sideText(buy)}, sell ${sideText(sell)}`
}
