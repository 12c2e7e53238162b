import { isHeaderLine } from '../recording/codec/row-codec.js'
import { nodePlatform } from '../recording/read/node-platform.js'
import { gzipStart } from '../recording/read/file-part.js'
import { openableSource } from '../recording/read/source.js'
import { delimitedTable } from './delimited.js'
import { jsonTable } from './json-lines.js'
import type { Table } from './table.js'

/** The bytes by which the format is recognised. */
const headBytes = 2 ** 22

/** Recognises CSV, NDJSON and Parquet by the content of the file. Throws if it cannot be read, or has another format. */
export const openTable = async (path: string): Promise<Table> => {
  const first = await openableSource(nodePlatform, path).file?.read(0, 1)
  const isGzip = first?.[0] === gzipStart
  const { head, isWhole } = await readHead(path)
  const text = Buffer.from(head).toString('latin1', 0, 4)
  if (text === 'PAR1') {
    const { parquetTable } = await import('./parquet.js')
    return parquetTable(path, isGzip)
  }
  if (text.startsWith('PK')) throw new Error('it is a ZIP archive (or a workbook); decompress it first')
  const encoding = encodingOf(head)
  const lines = new TextDecoder(encoding).decode(head).split(/\r\n?|\n/)
  const suffix = `${encoding === 'utf-8' ? '' : `, ${encoding.toUpperCase()}`}${isGzip ? ', gzip' : ''}`
  // The last line is empty, or of a part that may be cut off there, but in a file without a line break at its end.
  const isLastWhole = isWhole && lines.at(-1) !== ''
  return textTable(isLastWhole ? lines : lines.slice(0, -1), suffix, () => readText(path, encoding))
}

const readHead = async (path: string): Promise<{ readonly head: Uint8Array; readonly isWhole: boolean }> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunksOf(path)) {
    // A chunk is valid until the next one.
    parts.push(Uint8Array.from(chunk))
    length += chunk.length
    if (length >= headBytes) return { head: Buffer.concat(parts), isWhole: false }
  }
  return { head: Buffer.concat(parts), isWhole: true }
}

/** The bytes of a file, decompressed. */
const chunksOf = (path: string): AsyncIterable<Uint8Array> => openableSource(nodePlatform, path).open()

/** `lines`: the first ones. `suffix`: of the format, for the user. `read`: the text of the file, piece by piece. */
const textTable = (lines: readonly string[], suffix: string, read: () => AsyncIterable<string>): Table => {
  const start = lines.find((line) => line.trim() !== '') ?? ''
  if (isHeaderLine(start)) throw new Error('it is a recording already')
  if (manyLines.test(start))
    throw new Error(
      'it is one JSON text, not one row a line; write its rows as lines first, for example by `jq -c ".[]"`',
    )
  return /^\s*[[{]/.test(start) ? jsonTable(lines, suffix, read) : delimitedTable(lines, suffix, read)
}

/** The start of an array of rows, or of an object over several lines. */
const manyLines = /^\s*(?:\[\s*(?:[[{]|$)|\{\s*$)/

/** UTF-16 has a zero byte in each character of ASCII. */
const encodingOf = ([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' => {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : 'utf-8'
}

/** The text of a file, piece by piece. Its line breaks become `\n`. */
async function* readText(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  let held = ''
  for await (const chunk of chunksOf(path)) {
    const text = held + decoder.decode(chunk, { stream: true })
    held = text.endsWith('\r') ? '\r' : ''
    const whole = text.slice(0, text.length - held.length)
    // The search alone takes a two hundredth of the time.
    yield whole.includes('\r') ? whole.replaceAll(/\r\n?/g, '\n') : whole
  }
  yield held.replace('\r', '\n')
}
