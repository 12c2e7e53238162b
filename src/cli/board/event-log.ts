import { isLeft } from 'fp-ts/lib/Either.js'
import { renderError } from '../../errors/render.js'
import type { DepthRow, PriceRow, Row } from '../../recording/format/row.js'
import type { TokenNames } from '../input/token-names.js'
import { printable } from '../output/printable.js'
import { rowAddress } from '../output/row-address.js'
import { tokenOf, type Board } from './board.js'

/** Something worth telling, and when it was, in ms since the Unix epoch. */
export interface LoggedEvent {
  readonly at: number
  readonly text: string
}

/** How many of them are kept. */
const kept = 5

/** The news after an event. What was told last, or is as it was, is not told again. */
export const logEvent = (
  news: readonly LoggedEvent[],
  before: Board,
  row: Row,
  names: TokenNames,
): readonly LoggedEvent[] => {
  const told = tell(before, row, names)
  if (told === undefined) return news
  const text = printable(told)
  return news.at(-1)?.text === text ? news : [...news, { at: row.at, text }].slice(-kept)
}

const tell = (before: Board, row: Row, names: TokenNames): string | undefined => {
  const address = rowAddress(row)
  const name = address === undefined ? '' : names.short(address)
  switch (row._tag) {
    case 'Price':
      return priceNews(row, name)
    case 'Depth':
      return depthNews(row, name, tokenOf(before, row)?.depthError?.message)
    case 'Status':
      return row.status._tag === 'Open' && row.status.epoch > 1
        ? `connected again, epoch ${row.status.epoch}`
        : undefined
    case 'Uncorrelated':
      return renderError(row.error)
    case 'End':
      return undefined
  }
}

/** That the connection is down concerns all tokens alike, and so is the same news for all. */
const priceNews = ({ event }: PriceRow, name: string): string | undefined => {
  if (!isLeft(event)) return undefined
  const problem = renderError(event.left)
  return event.left._tag === 'Disconnected' ? problem : `${name} ${problem}`
}

/** A poll may fail again and again, with the same words. */
const depthNews = ({ event }: DepthRow, name: string, before: string | undefined): string | undefined =>
  isLeft(event) && event.left.message !== before ? `${name} depth ${renderError(event.left)}` : undefined
