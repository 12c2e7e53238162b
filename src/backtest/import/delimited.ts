import { sampleRows, type Cells, type Lines, type TableRow } from './table.js'
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

/** The cells of a line. A quote without its end reaches to the end of the line. */
const splitLine = (line: string, delimiter: string): string[] => {
  if (delimiter === '') return [line.includes('"') ? unquoted(line) : line]
  return line.includes('"') ? splitQuoted(line, delimiter).cells : line.split(delimiter)
}

/** `isOpen`: a quoted cell has no end. */
const splitQuoted = (line: string, delimiter: string): { cells: string[]; isOpen: boolean } => {
  const cells: string[] = []
  let isOpen = false
  for (let start = 0; start <= line.length;) {
    let end = line.indexOf(delimiter, start)
    if (/^\s*"/.test(line.slice(start, start + 20))) {
      const close = endOfQuoted(line, line.indexOf('"', start) + 1)
      isOpen = close < 0
      end = isOpen ? line.length : line.indexOf(delimiter, close)
    }
    if (end < 0) end = line.length
    cells.push(unquoted(line.slice(start, end)))
    start = end + delimiter.length
  }
  return { cells, isOpen }
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

/** The most lines of a quoted cell: a quote without its end damages its own line alone. */
const maxQuotedLines = 1000

/** The rows after the header. A quoted cell may contain line breaks. */
export async function* readDelimited(
  read: AsyncIterable<Lines>,
  { delimiter, headerLine }: Dialect,
): AsyncGenerator<readonly TableRow[]> {
  /** The lines of a row with a quoted cell that has not ended. */
  let open: string[] = []
  let line = 0
  let rows: TableRow[] = []
  const add = (text: string): void => {
    line++
    if (line <= headerLine) return
    if (open.length === 0 && !text.includes('"')) {
      if (text.trim() !== '') rows.push({ cells: splitLine(text, delimiter), line })
      return
    }
    open.push(text)
    const { cells, isOpen } = splitQuoted(open.join('\n'), delimiter === '' ? '\0' : delimiter)
    if (!isOpen) {
      rows.push({ cells, line: line - open.length + 1 })
      open = []
    } else if (open.length === maxQuotedLines) giveUp()
  }
  /** The quote is damaged: its line is a row, and the lines after it are read on their own. */
  const giveUp = (): void => {
    const [first = '', ...others] = open
    open = []
    line -= others.length
    rows.push({ cells: splitLine(first, delimiter), line })
    for (const text of others) add(text)
  }
  for await (const { texts } of read) {
    for (const text of texts) add(text)
    yield rows
    rows = []
  }
  while (open.length > 0) giveUp()
  if (rows.length > 0) yield rows
}
