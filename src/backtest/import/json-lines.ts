import { isLeft } from 'fp-ts/lib/Either.js'
import { jsonNumberPattern, parseJson } from '../../wire/codec/decode.js'
import { maxLineLength, sampleRows, type Cells, type Table, type TableRow } from './table.js'

/** Rows as lines of JSON: objects, or arrays without names. `read`: the text of the file, piece by piece. */
export const jsonTable = (
  lines: readonly string[],
  suffix: string,
  read: () => AsyncIterable<string>,
): Table => {
  const rows = lines.filter((line) => line.trim() !== '').slice(0, sampleRows)
  const objects = rows.map((line) => parsed(line) ?? []).filter((row) => !Array.isArray(row))
  const keys = objects.length === 0 ? undefined : [...new Set(objects.flatMap(Object.keys))]
  return {
    format: `NDJSON, ${keys === undefined ? 'arrays' : 'objects'}${suffix}`,
    names: keys,
    sample: rows.map((line) => cellsOf(line, keys)),
    rows: async function* (columns) {
      const wanted = keys?.map((key, index) => (columns.includes(index) ? key : undefined))
      let line = 1
      let rest = ''
      const rowsOf = (texts: readonly string[]): readonly TableRow[] =>
        texts.flatMap((text, index) =>
          text.trim() === '' ? [] : [{ cells: cellsOf(text, wanted), line: line + index }],
        )
      for await (const piece of read()) {
        const texts = (rest + piece).split('\n')
        rest = texts.pop() ?? ''
        if (rest.length > maxLineLength) throw new Error(`line ${line + texts.length} has no end`)
        yield rowsOf(texts)
        line += texts.length
      }
      yield rowsOf([rest])
    },
  }
}

const parsed = (line: string): object | undefined => {
  const json = parseJson(line)
  if (isLeft(json) || typeof json.right !== 'object' || json.right === null) return undefined
  return longInteger.test(line) ? (JSON.parse(line.replace(stringOrNumber, quoted)) as object) : json.right
}

/** Strings may contain the characters of a number. */
const stringOrNumber = new RegExp(String.raw`"[^"\\]*(?:\\.[^"\\]*)*"|${jsonNumberPattern}`, 'g')

const quoted = (part: string): string => (part.startsWith('"') ? part : `"${part}"`)

/** A line that is no row is a single cell: no row has so few, and reports show its text. */
const cellsOf = (line: string, keys: readonly (string | undefined)[] | undefined): Cells => {
  const row = parsed(line)
  if (row === undefined || Array.isArray(row) === (keys !== undefined)) return [line]
  return keys === undefined
    ? (row as readonly unknown[]).map(cellOf)
    : keys.map((key) => (key === undefined ? undefined : cellOf(Reflect.get(row, key))))
}

/** `JSON.parse` loses digits of integers above 2^53, such as times in ns. */
const longInteger = /[^\d.]\d{17}/

const cellOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}
