import Papa, { type ParseResult } from 'papaparse'
import { maxLineLength, sampleRows, type Table, type TableRow } from './table.js'
import { numberOf, unitOf } from './values.js'

const delimitersToGuess = [',', ';', '\t', '|']

const maxHeadRows = 200

/**
 * Rows of CSV. `lines`: the first ones. A header has no number and no time. Rows of one cell before it, such as a title, are
 * skipped; its other cells may be empty. `read`: the text of the file, piece by piece, whose line breaks are `\n`.
 */
export const delimitedTable = (
  lines: readonly string[],
  suffix: string,
  read: () => AsyncIterable<string>,
): Table => {
  const { data, meta } = Papa.parse<string[]>(lines.join('\n'), { preview: maxHeadRows, delimitersToGuess })
  const { delimiter } = meta
  const hasValues = (cells: readonly string[]) => cells.filter((cell) => cell.trim() !== '').length > 1
  const isWide = data.some(hasValues)
  const rows = numbered(data, 1).rows.filter(({ cells }) => !isWide || hasValues(cells))
  const [first] = rows
  const isValue = (cell: string): boolean => !Number.isNaN(numberOf(cell)) || unitOf(cell) !== undefined
  const header = first?.cells.some(isValue) === false ? first : undefined
  const delimiterText = delimiter === '\t' ? 'tab' : `"${delimiter}"`
  const headerText = header === undefined ? 'no header' : `header in line ${header.line}`
  return {
    format: `CSV, ${delimiterText}, ${headerText}${suffix}`,
    names: header?.cells.map((cell) => cell.trim()),
    sample: rows.slice(header === undefined ? 0 : 1, sampleRows + 1).map(({ cells }) => cells),
    rows: () => readDelimited(read(), delimiter, header?.line),
  }
}

/** The rows that are not empty, with the numbers of their first lines. `last`, `next`: the lines of the last row, and after it. */
const numbered = (data: readonly (readonly string[])[], start: number) => {
  let [last, next] = [start, start]
  const rows: TableRow<readonly string[]>[] = []
  for (const cells of data) {
    if (cells.length > 1 || cells[0]?.trim() !== '') rows.push({ cells, line: next })
    last = next
    next++
    // A quoted cell may contain line breaks.
    for (const cell of cells) if (cell.includes('\n')) next += cell.split('\n').length - 1
  }
  return { rows, last, next }
}

/** The rows after the header. Throws for a quote without an end. */
async function* readDelimited(
  read: AsyncIterable<string>,
  delimiter: string,
  headerLine = 0,
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
