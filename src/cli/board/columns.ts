import type { Price } from '../../domain/price.js'
import type { TokenNames } from '../input/token-names.js'
import type { Colours } from '../output/colours.js'
import { formatAge, formatChange, formatPrice, formatQuantityShort, formatUsd } from '../output/format.js'
import type { Cell, Column } from '../output/table.js'
import type { TokenState } from './board.js'
import { stateWord } from './state-word.js'

/** What a table is drawn with besides the tokens' states. */
export interface Look {
  readonly names: TokenNames
  readonly colours: Colours
  /** In ms since the Unix epoch. */
  readonly now: number
}

const emptyCell: Cell = { text: '–' }

/** The table of prices: one row a token. What is not current is dim. */
export const priceColumns = (tokens: readonly TokenState[], look: Look): readonly Column[] => {
  const { names, colours, now } = look
  const ofPrice = (token: TokenState, text: (price: Price) => string): Cell =>
    token.price === undefined ? emptyCell : { text: text(token.price), paint: shade(token, colours) }
  const column = columnOf(tokens)
  return [
    column({ title: 'TOKEN', align: 'left', rank: 0, width: 6 }, ({ address }) => ({
      text: names.short(address),
      paint: colours.bold,
    })),
    column({ title: 'PRICE, USD', align: 'right', rank: 1, width: 11 }, (token) =>
      ofPrice(token, ({ price }) => formatPrice(price)),
    ),
    column({ title: 'CHANGE', align: 'right', rank: 4, width: 8 }, (token) => changeCell(token, colours)),
    column({ title: 'AGE', align: 'right', rank: 3, width: 6 }, (token) =>
      ofPrice(token, () => formatAge(now - token.priceAt)),
    ),
    column({ title: 'STATE', align: 'left', rank: 2, width: 9 }, (token) => stateWord(token, colours)),
  ]
}

/** The rest of the table: what can be bought and sold. Where a depth failed, the error's name is there instead. */
export const depthColumns = (tokens: readonly TokenState[], { names, colours }: Look): readonly Column[] => {
  const column = columnOf(tokens)
  const usd = (title: string, side: 'buy' | 'sell'): Column =>
    column({ title, align: 'right', rank: 5, width: 11 }, ({ depth, depthError }) => {
      if (depthError !== undefined) return { text: depthError._tag, paint: colours.red }
      return depth === undefined ? emptyCell : { text: formatUsd(depth[side].totalQuantityUsd) }
    })
  const quantity = (side: 'buy' | 'sell'): Column =>
    column({ title: 'QUANTITY', align: 'right', rank: 6, width: 9 }, ({ address, depth, depthError }) => {
      if (depth === undefined || depthError !== undefined) return emptyCell
      return { text: formatQuantityShort(depth[side].totalQuantity, names.decimals(address)) }
    })
  return [usd('BUY, USD', 'buy'), quantity('buy'), usd('SELL, USD', 'sell'), quantity('sell')]
}

const columnOf =
  (tokens: readonly TokenState[]) =>
  (head: Omit<Column, 'cells'>, cell: (token: TokenState) => Cell): Column => ({
    ...head,
    cells: tokens.map(cell),
  })

const shade = ({ priceError }: TokenState, colours: Colours) =>
  priceError === undefined ? undefined : colours.dim

const changeCell = (token: TokenState, colours: Colours): Cell => {
  const { change } = token
  if (change === undefined) return emptyCell
  const text = formatChange(change)
  if (change === 0 || token.priceError !== undefined) return { text, paint: colours.dim }
  return { text, paint: change > 0 ? colours.green : colours.red }
}
