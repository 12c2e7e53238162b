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
  /** In a table that is too wide, the columns with the highest rank are omitted first. */
  readonly rank: number
  /** Smallest width in terminal columns, so that columns do not move when the table is redrawn. */
  readonly width: number
  readonly cells: readonly Cell[]
}

const gap = '  '

/** The lines of a table, at most `width` terminal columns wide: the titles, then one line per row. */
export const drawTable = (
  columns: readonly Column[],
  width: number,
  paintTitle: (text: string) => string,
): readonly string[] => {
  const shown = fittingColumns(columns, width)
  const line = (cells: readonly Cell[]) => cells.map((cell, index) => drawCell(cell, shown[index])).join(gap)
  const titles = line(shown.map(({ title }) => ({ text: title, paint: paintTitle })))
  const rows = (shown[0]?.cells ?? []).map((_, row) =>
    line(shown.map(({ cells }) => cells[row] ?? { text: '' })),
  )
  return [titles, ...rows]
}

/** The columns of a table that is at most `width` terminal columns wide. */
const fittingColumns = (columns: readonly Column[], width: number): readonly Column[] => {
  const aligned = columns.map(alignDecimals)
  const whole = fitting(aligned.map(withWidth), width)
  return whole.length === columns.length ? whole : fitting(aligned.map(cutColumn).map(withWidth), width)
}

const alignDecimals = (column: Column): Column => {
  if (column.align !== 'decimal') return column
  const most = Math.max(0, ...column.cells.map(({ text }) => fractionWidth(text) ?? 0))
  const padding = (text: string): string => ' '.repeat(most - (fractionWidth(text) ?? most))
  return { ...column, cells: column.cells.map((cell) => ({ ...cell, text: cell.text + padding(cell.text) })) }
}

/** The width of a number from its decimal point on; `undefined` for any other text. */
const fractionWidth = (text: string): number | undefined =>
  /^[+-]?[\d,]+(?:\.\d+)?$/.test(text) ? text.length - text.replace(/\..*/, '').length : undefined

const withWidth = (column: Column): Column => ({ ...column, width: widthOf(column) })

const cutColumn = (column: Column): Column => ({
  ...column,
  cells: column.cells.map((cell) =>
    cell.canCut === true ? { ...cell, text: fit(cell.text, column.width) } : cell,
  ),
})

const fitting = (columns: readonly Column[], width: number): readonly Column[] => {
  const total = columns.reduce((sum, column) => sum + column.width + gap.length, -gap.length)
  if (total <= width || columns.length <= 1) return columns
  const last = Math.max(...columns.map(({ rank }) => rank))
  return fitting(
    columns.filter(({ rank }) => rank !== last),
    width,
  )
}

const widthOf = ({ title, width, cells }: Column): number =>
  Math.max(displayWidth(title), width, ...cells.map(({ text }) => displayWidth(text)))

const drawCell = ({ text, paint = (plain) => plain }: Cell, column: Column | undefined): string => {
  if (column === undefined) return text
  const { align, width } = column
  return paint(align === 'left' ? padEnd(text, width) : padStart(text, width))
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

export const padEnd = (text: string, width: number): string => text + missingSpaces(text, width)

export const padStart = (text: string, width: number): string => missingSpaces(text, width) + text

const missingSpaces = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text)))
