import type { Price } from '../../domain/price.js'
import { withCommas } from '../../number-format/digit-groups.js'
import { shortNumber } from '../../number-format/short-number.js'
import { shortTokens } from '../../number-format/tokens.js'
import { formatChange, formatPrice, formatUsd } from '../../number-format/usd.js'
import type { TokenNames } from '../tokens/token-names.js'
import type { Colours } from '../output/colours.js'
import { fit } from '../output/display-width.js'
import { formatAge } from '../output/format.js'
import type { Cell, Column } from '../output/table.js'
import type { TokenState } from './board.js'
import { stateCell } from './state-word.js'

/** Besides the state of the tokens, all that drawing depends on. */
export interface DrawContext {
  readonly names: TokenNames
  readonly colours: Colours
  /** In ms since the Unix epoch. */
  readonly now: number
}

/** A longer name of SVC_TOKENS is cut, so that it does not displace the prices. */
const maxNameWidth = 20

/** The title of the column that shows whether a price is current. */
export const stateTitle = 'STATE'

const emptyCell: Cell = { text: '–' }

/** The columns of prices: one row per token. Values that are not current are dim. */
export const priceColumns = (tokens: readonly TokenState[], context: DrawContext): readonly Column[] => {
  const { names, colours, now } = context
  const priceCell = ({ price, priceError }: TokenState, text: (price: Price) => string): Cell =>
    price === undefined
      ? emptyCell
      : { text: text(price), paint: priceError === undefined ? undefined : colours.dim }
  const column = columnOf(tokens)
  return [
    column({ title: 'TOKEN', align: 'left', rank: 0, width: 6 }, ({ address }) => ({
      text: fit(names.short(address), maxNameWidth),
      paint: colours.token,
    })),
    column({ title: 'PRICE, USD', align: 'decimal', rank: 1, width: 11 }, (token) =>
      priceCell(token, ({ price }) => shortText(price, formatPrice)),
    ),
    column({ title: 'CHANGE', align: 'decimal', rank: 4, width: 9 }, (token) => changeCell(token, colours)),
    column({ title: 'AGE', align: 'right', rank: 3, width: 6 }, (token) =>
      priceCell(token, () => formatAge(now - token.priceAt)),
    ),
    column({ title: stateTitle, align: 'left', rank: 2, width: 9 }, (token) => stateCell(token, colours)),
  ]
}

/** The columns of a terminal that is too narrow for the state. A price that is not current is replaced by its state. */
export const narrowColumns = (
  tokens: readonly TokenState[],
  { names, colours }: DrawContext,
  width: number,
): readonly Column[] => {
  const column = columnOf(tokens)
  return [
    column({ title: 'TOKEN', align: 'left', rank: 0, width: 5 }, ({ address }) => ({
      text: fit(names.short(address), Math.min(maxNameWidth, Math.max(5, width - 13))),
      paint: colours.token,
    })),
    column({ title: 'PRICE, USD', align: 'decimal', rank: 1, width: 11 }, (token) =>
      token.price === undefined || token.priceError !== undefined
        ? stateCell(token, colours)
        : { text: shortText(token.price.price, formatPrice) },
    ),
  ]
}

/** The columns of depth. A failed depth is replaced by the `_tag` of its error. */
export const depthColumns = (
  tokens: readonly TokenState[],
  { names, colours }: DrawContext,
): readonly Column[] => {
  const column = columnOf(tokens)
  const usd = (title: string, side: 'buy' | 'sell'): Column =>
    column({ title, align: 'right', rank: 5, width: 11 }, ({ depth, depthError }) => {
      if (depthError !== undefined) return { text: depthError._tag, paint: colours.failed, canCut: true }
      return depth === undefined ? emptyCell : { text: shortText(depth[side].totalQuantityUsd, formatUsd) }
    })
  const quantity = (side: 'buy' | 'sell'): Column =>
    column({ title: 'QUANTITY', align: 'decimal', rank: 6, width: 9 }, ({ address, depth, depthError }) => {
      if (depth === undefined || depthError !== undefined) return emptyCell
      return { text: withCommas(shortTokens(depth[side].totalQuantity, names.decimals(address))) }
    })
  return [usd('BUY, USD', 'buy'), quantity('buy'), usd('SELL, USD', 'sell'), quantity('sell')]
}

const columnOf =
  (tokens: readonly TokenState[]) =>
  (head: Omit<Column, 'cells'>, cell: (token: TokenState) => Cell): Column => ({
    ...head,
    cells: tokens.map(cell),
  })

const shortText = (value: number, formatted: (value: number) => string): string =>
  withCommas(shortNumber(value, formatted))

const changeCell = (token: TokenState, colours: Colours): Cell => {
  const { change, price } = token
  if (change === undefined || price === undefined) return emptyCell
  const text = shortText(change, (usd) => formatChange(usd, price.price))
  if (!/[1-9]/.test(text) || token.priceError !== undefined) return { text, paint: colours.dim }
  return { text, paint: change > 0 ? colours.rising : colours.falling }
}
