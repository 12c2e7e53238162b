import Papa, { type ParseResult } from 'papaparse'
import { maxLineLength, sampleRows, type Cells, type TableRow } from './table.js'
import { numberOf, unitOf } from './values.js'

/** How the text of a CSV file is divided into cells. */
export interface Dialect {
  readonly delimiter: string
  /** The number of the line with the names of the columns, from 1; 0 if there is none. */
  readonly headerLine: number
  readonly names: readonly string[] | undefined
  readonly sample: readonly Cells[]
}

const delimitersToGuess = [',', ';', '\t', '|']

const maxDialectRows = 200

/** Reads the first rows. A header has no number and no time. Rows of one cell before it, such as a title, are skipped. */
export const dialectOf = (text: string): Dialect => {
  const { data, meta } = Papa.parse<string[]>(text, { preview: maxDialectRows, delimitersToGuess })
  const isWide = data.some(({ length }) => length > 1)
  const rows = numbered(data, 1).rows.filter(({ cells }) => !isWide || cells.length > 1)
  const first = rows[0]?.cells ?? []
  const isHeader =
    first.length > 0 && !first.some((cell) => !Number.isNaN(numberOf(cell)) || unitOf(cell) !== undefined)
  return {
    delimiter: meta.delimiter,
    headerLine: isHeader ? (rows[0]?.line ?? 0) : 0,
    names: isHeader ? first.map((cell) => cell.trim()) : undefined,
    sample: rows.slice(isHeader ? 1 : 0, sampleRows + 1).map(({ cells }) => cells),
  }
}

interface CsvRow extends TableRow {
  readonly cells: readonly string[]
}

/** The rows that are not empty, with the numbers of their first lines. `last`, `next`: the lines of the last row, and after it. */
const numbered = (data: readonly (readonly string[])[], start: number) => {
  let [last, next] = [start, start]
  const rows: CsvRow[] = []
  for (const cells of data) {
    if (cells.length > 1 || cells[0]?.trim() !== '') rows.push({ cells, line: next })
    last = next
    next++
    // A quoted cell may contain line breaks.
    for (const cell of cells) if (cell.includes('\n')) next += cell.split('\n').length - 1
  }
  return { rows, last, next }
}

/** The rows after the header. `read`: the text, piece by piece, whose line breaks are `\n`. Throws for a quote without an end. */
export async function* readDelimited(
  read: AsyncIterable<string>,
  { delimiter, headerLine }: Dialect,
): AsyncGenerator<readonly TableRow[]> {
  let rest = ''
  let line = 1
  const rowsOf = (text: string, isEnd: boolean): readonly TableRow[] => {
    const parser = new Papa.Parser({ delimiter, newline: '\n' })
    const { data, meta, errors } = parser.parse(text, 0, !isEnd) as ParseResult<string[]>
    const { rows, last, next } = numbered(data, line)
    rest = text.slice(meta.cursor)
    line = next
    if (errors.some(({ code }) => code === 'MissingQuotes'))
      throw new Error(`line ${last}: a quoted cell has no end`)
    if (rest.length > maxLineLength) throw new Error(`line ${line} has no end`)
    return rows.filter((row) => row.line > headerLine)
  }
  for await (const text of read) yield rowsOf(rest + text, false)
  yield rowsOf(rest, true)
}
