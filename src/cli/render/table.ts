import stringWidth from 'string-width'

/** A text in a table. `paint` is applied after padding. */
export interface Cell {
  readonly text: string
  readonly paint?: ((text: string) => string) | undefined
  /** The text may be cut to the width of its column, so that fewer columns are omitted. */
  readonly canCut?: boolean
}

export interface Column {
  readonly title: string
  /** `decimal` aligns numbers at their decimal point, and other texts right. */
  readonly align: 'left' | 'right' | 'decimal'
  /** In a table that is too wide, the columns with the highest rank are omitted first. Default: 0. */
  readonly rank?: number
  /** Smallest width in terminal columns, so that columns do not move when the table is redrawn. Default: 0. */
  readonly width?: number
  readonly cells: readonly Cell[]
}

/** Makes columns with a cell for each item. */
export const columnsOf =
  <A>(items: readonly A[]) =>
  (head: Omit<Column, 'cells'>, cell: (item: A) => Cell): Column => ({ ...head, cells: items.map(cell) })

const gap = '  '

/** The lines of a table, at most `width` terminal columns wide: the titles, then one line per row. */
export const drawTable = (
  columns: readonly Column[],
  width: number,
  paintTitle: (text: string) => string,
): readonly string[] => {
  const aligned = columns.map(alignDecimals)
  const whole = fitting(aligned.map(withWidth), width)
  const shown =
    whole.length === columns.length ? whole : fitting(aligned.map(cutColumn).map(withWidth), width)
  const line = (cellOf: (column: SizedColumn) => Cell) =>
    shown.map((column) => drawCell(cellOf(column), column)).join(gap)
  const titles = line(({ title }) => ({ text: title, paint: paintTitle }))
  const rows = (shown[0]?.cells ?? []).map((_, row) => line(({ cells }) => cells[row] ?? { text: '' }))
  return [titles, ...rows]
}

type SizedColumn = Column & { readonly width: number }

const alignDecimals = (column: Column): Column => {
  if (column.align !== 'decimal') return column
  const most = Math.max(0, ...column.cells.map(({ text }) => fractionWidth(text) ?? 0))
  const padding = (text: string): string => ' '.repeat(most - (fractionWidth(text) ?? most))
  return { ...column, cells: column.cells.map((cell) => ({ ...cell, text: cell.text + padding(cell.text) })) }
}

/** The width of a number from its decimal point on; `undefined` for any other text. */
const fractionWidth = (text: string): number | undefined =>
  /^[+-]?[\d,]+(?:\.\d+)?$/.test(text) ? text.length - text.replace(/\..*/, '').length : undefined

const withWidth = (column: Column): SizedColumn => {
  const { title, width = 0, cells } = column
  return { ...column, width: Math.max(width, ...[title, ...cells.map(({ text }) => text)].map(displayWidth)) }
}

const cutColumn = (column: Column): Column => ({
  ...column,
  cells: column.cells.map((cell) =>
    cell.canCut === true ? { ...cell, text: fit(cell.text, column.width ?? 0) } : cell,
  ),
})

const fitting = (columns: readonly SizedColumn[], width: number): readonly SizedColumn[] => {
  const total = columns.reduce((sum, column) => sum + column.width + gap.length, -gap.length)
  if (total <= width || columns.length <= 1) return columns
  const last = Math.max(...columns.map(({ rank = 0 }) => rank))
  return fitting(
    columns.filter(({ rank = 0 }) => rank !== last),
    width,
  )
}

const drawCell = ({ text, paint = (plain) => plain }: Cell, { align, width }: SizedColumn): string => {
  const spaces = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return paint(align === 'left' ? text + spaces : spaces + text)
}

const graphemes = new Intl.Segmenter()

/** The number of terminal columns of a text without escape sequences: 2 for most Asian characters and emoji, 0 for marks. */
export const displayWidth = (text: string): number => stringWidth(text)

/** Cuts a text to a number of terminal columns, at the end of a grapheme. */
export const fit = (text: string, width: number): string => {
  const end = fittingLength(text, width)
  if (end === text.length) return text
  return width < 1 ? '' : `${text.slice(0, fittingLength(text, width - 1))}…`
}

/** The length of the longest start of a text that fits into a number of terminal columns. */
const fittingLength = (text: string, width: number): number => {
  let used = 0
  for (const { segment, index } of graphemes.segment(text)) {
    used += displayWidth(segment)
    if (used > width) return index
  }
  return text.length
}
