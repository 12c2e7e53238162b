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
  /** A title above those of neighbouring columns with the same group. Default: none. */
  readonly group?: string
  /** `decimal` aligns numbers at their decimal point, and other texts right. */
  readonly align: 'left' | 'right' | 'decimal'
  /** In a table that is too wide, the columns with the highest rank are omitted first. */
  readonly rank: number
  /** Smallest width in terminal columns, so that columns do not move when the table is redrawn. */
  readonly width: number
  readonly cells: readonly Cell[]
}

const gap = '  '

/** The lines of a table, at most `width` terminal columns wide: the groups, if any, the titles, then one line per row. */
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
  return shown.every(({ group }) => group === undefined)
    ? [titles, ...rows]
    : [groupLine(shown, paintTitle), titles, ...rows]
}

/** Each group begins where the title of its first column begins. */
const groupLine = (columns: readonly Column[], paint: (text: string) => string): string => {
  let line = ''
  let start = 0
  columns.forEach((column, index) => {
    const { title, group, width } = column
    if (group !== undefined && group !== columns[index - 1]?.group)
      line = padEnd(line, start + (column.align === 'left' ? 0 : width - displayWidth(title))) + group
    start += width + gap.length
  })
  return paint(line)
}

/** The columns of a table that is at most `width` terminal columns wide. */
export const fittingColumns = (columns: readonly Column[], width: number): readonly Column[] => {
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

const plainAscii = /^[\x20-\x7e]*$/

// The flag `v` is newer than the language version of the sources.
const emoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, 'v')

/** The number of terminal columns of a text without escape sequences: 2 for most Asian characters and emoji, 0 for marks. */
export const displayWidth = (text: string): number =>
  plainAscii.test(text)
    ? text.length
    : sumOf(Array.from(graphemes.segment(text), ({ segment }) => graphemeWidth(segment)))

/**
 * Terminals combine the characters of an emoji, and those of Hangul. They draw any other character separately, for
 * example a skin tone after a letter.
 */
const graphemeWidth = (grapheme: string): number => {
  const width = stringWidth(grapheme)
  if (grapheme.length === 1 || emoji.test(grapheme)) return width
  return Math.max(width, sumOf(Array.from(grapheme.normalize('NFC'), (each) => stringWidth(each))))
}

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
    used += graphemeWidth(segment)
    if (used > width) return index
  }
  return text.length
}

/**
 * A text as at most `most` lines of `width` terminal columns, between words where possible. The lines after the first begin
 * with `indent`, and the last one is cut if there is more text.
 */
export const wrap = (text: string, width: number, most: number, indent: string): readonly string[] => {
  const end = fittingLength(text, width)
  if (most <= 1 || end === text.length || width <= indent.length) return [fit(text, width)]
  const space = text.lastIndexOf(' ', end)
  const split = space > indent.length ? space : end
  return [text.slice(0, split), ...wrap(indent + text.slice(split).trimStart(), width, most - 1, indent)]
}

export const padEnd = (text: string, width: number): string => text + missingSpaces(text, width)

export const padStart = (text: string, width: number): string => missingSpaces(text, width) + text

const missingSpaces = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text)))

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0)
