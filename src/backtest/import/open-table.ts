import { Subscription } from 'rxjs'
import { readFileBytes } from '../recording/files/files.js'
import { isHeaderLine } from '../recording/codec/row-codec.js'
import { nodePlatform } from '../recording/read/node-platform.js'
import { gzipStart, openableSource } from '../recording/read/source.js'
import { dialectOf, readDelimited } from './delimited.js'
import { jsonTable } from './json-lines.js'
import type { Table } from './table.js'

/** The bytes by which the format is recognised. */
const headBytes = 2 ** 16

/** If the first lines are long. */
const maxHeadBytes = 2 ** 22

const hasTwoLines = (part: Uint8Array): boolean => part.indexOf(10) !== part.lastIndexOf(10)

/** Recognises CSV, NDJSON and Parquet by the content of the file. Throws if it cannot be read, or has another format. */
export const openTable = async (path: string): Promise<Table> => {
  const { head, isGzip } = await readHead(path)
  const text = Buffer.from(head).toString('latin1', 0, 4)
  if (text === 'PAR1') {
    const { parquetTable } = await import('./parquet.js')
    return parquetTable(path, isGzip)
  }
  if (text.startsWith('PK')) throw new Error('it is a ZIP archive (or a workbook); decompress it first')
  return textTable(path, head, isGzip)
}

const chunksOf = (path: string, closing: Subscription): AsyncIterable<Uint8Array> =>
  openableSource(nodePlatform, path).open(closing) as AsyncIterable<Uint8Array>

const readHead = async (path: string): Promise<{ readonly head: Uint8Array; readonly isGzip: boolean }> => {
  const { open, file } = openableSource(nodePlatform, path)
  const first = await file?.read(0, 1)
  const opened = new Subscription()
  const parts: Uint8Array[] = []
  try {
    for await (const chunk of open(opened)) {
      // A chunk is valid until the next one.
      parts.push(Uint8Array.from(chunk as Uint8Array))
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      if (length >= maxHeadBytes || (length >= headBytes && parts.some(hasTwoLines))) break
    }
  } finally {
    opened.unsubscribe()
  }
  return { head: Buffer.concat(parts), isGzip: first?.[0] === gzipStart }
}

const textTable = (path: string, head: Uint8Array, isGzip: boolean): Table => {
  const encoding = encodingOf(head)
  const lines = new TextDecoder(encoding).decode(head).split(/\r?\n/)
  // The last line of the head may be cut off.
  const first = lines.length > 1 ? lines.slice(0, -1) : lines
  const start = first.find((line) => line.trim() !== '') ?? ''
  if (isHeaderLine(start)) throw new Error('it is a recording already')
  if (manyLines.test(start))
    throw new Error(
      'it is one JSON text, not one row a line; write its rows as lines first, for example by `jq -c ".[]"`',
    )
  const suffix = `${encoding === 'utf-8' ? '' : `, ${encoding.toUpperCase()}`}${isGzip ? ', gzip' : ''}`
  const read = () => readText(path, isGzip, encoding)
  if (/^\s*[[{]/.test(start)) return jsonTable(first, suffix, read)
  const dialect = dialectOf(first.join('\n'))
  const { delimiter, headerLine, names, sample } = dialect
  const delimiterText = delimiter === '\t' ? 'tab' : `"${delimiter}"`
  const headerText = headerLine === 0 ? 'no header' : `header in line ${headerLine}`
  return {
    format: `CSV, ${delimiterText}, ${headerText}${suffix}`,
    names,
    sample,
    rows: () => readDelimited(read(), dialect),
  }
}

/** The start of an array of rows, or of an object over several lines. */
const manyLines = /^\s*(?:\[\s*(?:[[{]|$)|\{\s*$)/

/** UTF-16 has a zero byte in each character of ASCII. */
const encodingOf = ([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' => {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : 'utf-8'
}

/** The text of a file, piece by piece. Its line breaks become `\n`. */
async function* readText(path: string, isGzip: boolean, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  const opened = new Subscription()
  let held = ''
  try {
    for await (const chunk of isGzip ? chunksOf(path, opened) : readFileBytes(path)) {
      const text = held + decoder.decode(chunk, { stream: true })
      held = text.endsWith('\r') ? '\r' : ''
      yield text.slice(0, text.length - held.length).replaceAll('\r\n', '\n')
    }
    yield held
  } finally {
    opened.unsubscribe()
  }
}
