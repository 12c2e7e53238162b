import { sampleRows, type Cells, type OnRow } from './table.js'
import { numberOf, unitOf } from './values.js'

/** How the lines of a CSV file are divided into cells. */
export interface Dialect {
  readonly delimiter: string
  /** The number of the line with the names of the columns, from 1; 0 if there is none. */
  readonly headerLine: number
  readonly names: readonly string[] | undefined
  readonly sample: readonly Cells[]
}

const delimiters = [',', ';', '\t', '|']

/**
 * Recognises the dialect by the first lines. The delimiter is in most lines, and in most of them equally often. A header has no
 * number and no time. Lines before it without the delimiter, such as a title, are skipped.
 */
export const dialectOf = (lines: readonly string[]): Dialect => {
  const delimiter = delimiterOf(lines)
  const isRow = (line: string): boolean =>
    line.trim() !== '' && (line.includes(delimiter) || delimiter === '')
  const first = lines.findIndex(isRow)
  const cells = splitLine(lines[first] ?? '', delimiter)
  const isHeader =
    first >= 0 && !cells.some((cell) => !Number.isNaN(numberOf(cell)) || unitOf(cell) !== undefined)
  const rows = lines.slice(isHeader ? first + 1 : Math.max(first, 0)).filter(isRow)
  return {
    delimiter,
    headerLine: isHeader ? first + 1 : 0,
    names: isHeader ? cells.map((cell) => cell.trim()) : undefined,
    sample: rows.slice(0, sampleRows).map((line) => splitLine(line, delimiter)),
  }
}

/** Empty for a file of one column. */
const delimiterOf = (lines: readonly string[]): string => {
  const rows = lines.filter((line) => line.trim() !== '')
  let best = ''
  let most = 0
  for (const delimiter of delimiters) {
    const counts = new Map<number, number>()
    for (const row of rows) {
      const count = splitLine(row, delimiter).length
      if (count > 1) counts.set(count, (counts.get(count) ?? 0) + 1)
    }
    const agreeing = Math.max(0, ...counts.values())
    if (agreeing > most) [best, most] = [delimiter, agreeing]
  }
  return best
}

/**
 * The cells of a line. A quoted cell ends in its line, so that a quote without its end damages one row only.
 */
export const splitLine = (line: string, delimiter: string): string[] => {
  if (delimiter === '') return [line.includes('"') ? unquoted(line) : line]
  return line.includes('"') ? splitQuoted(line, delimiter) : line.split(delimiter)
}

const splitQuoted = (line: string, delimiter: string): string[] => {
  const cells: string[] = []
  for (let start = 0; start <= line.length;) {
    let end = line.indexOf(delimiter, start)
    if (/^\s*"/.test(line.slice(start, start + 20))) {
      const close = endOfQuoted(line, line.indexOf('"', start) + 1)
      end = close < 0 ? line.length : line.indexOf(delimiter, close)
    }
    if (end < 0) end = line.length
    cells.push(unquoted(line.slice(start, end)))
    start = end + delimiter.length
  }
  return cells
}

/** The index after the closing quote; -1 if there is none. */
const endOfQuoted = (line: string, start: number): number => {
  for (let at = line.indexOf('"', start); at >= 0; at = line.indexOf('"', at + 2))
    if (line[at + 1] !== '"') return at + 1
  return -1
}

const unquoted = (cell: string): string => {
  const text = cell.trim()
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replaceAll('""', '"')
    : cell
}

/** Calls back for each line with content after the header. `line`: the number of the first line, from 1. */
export const readDelimited = (
  lines: readonly string[],
  line: number,
  { delimiter, headerLine }: Dialect,
  onRow: OnRow,
): void => {
  for (const [index, text] of lines.entries()) {
    if (line + index <= headerLine || text === '' || text.trim() === '') continue
    onRow(splitLine(text, delimiter), line + index)
  }
}
