import type { Depth } from '../../domain/depth.js'
import { formatPrice, formatTokens, formatUsd } from '../../display/numbers.js'
import type { TokenNames } from '../tokens/token-names.js'
import type { Colours } from './colours.js'
import { formatTime } from './format.js'
import { drawTable, type Column } from './table.js'

/** The depth of one token as a table for people. */
export const depthTable = (depth: Depth, names: TokenNames, colours: Colours): string => {
  const { mint, price, timestamp, buy, sell } = depth
  const column = (title: string, texts: readonly [buy: string, sell: string]): Column => ({
    title,
    align: title === '' ? 'left' : 'right',
    rank: 0,
    width: 0,
    cells: texts.map((text) => ({ text })),
  })
  const quantity = (units: bigint) => formatTokens(units, names.decimals(mint))
  const columns = [
    column('', ['buy', 'sell']),
    column('USD', [formatUsd(buy.totalQuantityUsd), formatUsd(sell.totalQuantityUsd)]),
    column('QUANTITY', [quantity(buy.totalQuantity), quantity(sell.totalQuantity)]),
  ]
  const headline = `${names.full(mint)} at ${formatPrice(price)} USD, ${formatTime(timestamp)}`
  return [headline, ...drawTable(columns, Infinity, colours.dim)].join('\n')
}
