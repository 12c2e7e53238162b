import { isRight } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { unitOfTime } from '../codec/times.js'
import { decodeRow } from '../codec/row-codec.js'
import { writtenTime, type TimeRange } from '../codec/timeline.js'
import { endOfLine, lineEnd } from './whole-lines.js'

// Where the rows of a range are in a plain file, without reading all of it.

/** The shortest distance of two rows whose places are read, in bytes. */
const minDistance = 2 ** 16

/** The most rows of a file whose places are read, without the last one. */
const maxPlaces = 256

/** Bytes that are read at once for one line. Most lines are shorter. */
const lineBytes = 2 ** 10

/** The bytes of a source. */
export interface SourceBytes {
  /** Names the source in error messages. */
  readonly name: string
  /** The bytes of the recording, decompressed. `closing` ends a read that waits for data. Throws if the source cannot be opened. */
  readonly open: (closing?: Subscription) => AsyncIterable<Uint8Array>
  /** The bytes of the file, if the source is one: compressed or not. */
  readonly file?: FileBytes | undefined
}

/** Random access to the bytes of a file, which may grow. Each call rejects if the file cannot be read. */
export interface FileBytes {
  readonly size: () => Promise<number>
  /** Reads `length` bytes from a position on, or up to the end of the file. */
  readonly read: (position: number, length: number) => Promise<Uint8Array>
  readonly chunks: (position: number) => AsyncIterable<Uint8Array>
}

/** The first byte of gzip data. No recording in plain text starts with this control character. */
export const gzipStart = 0x1f

/** Whole lines of a file that follow each other, in bytes. */
export interface FilePart {
  readonly start: number
  /** `Infinity`: to the end of the file. */
  readonly end: number
}

export const wholeFile: FilePart = { start: 0, end: Infinity }

/** A row of a file. */
export interface RowPlace extends FilePart {
  /** In ms since the Unix epoch. */
  readonly at: number
}

/** The places of rows at equal distances, of which the first one is that of the file, and of the last row. `size`: of the file, in bytes. */
export const readPlaces = async (bytes: FileBytes, size: number): Promise<readonly RowPlace[]> => {
  const distance = Math.max(minDistance, Math.ceil(size / maxPlaces))
  const places: RowPlace[] = []
  for (let position = 0; position < size; position += distance) {
    const place = await rowFrom(bytes, position)
    if (place !== undefined) places.push(place)
  }
  const last = await lastRow(bytes, size)
  return last === undefined ? places : [...places, last]
}

/**
 * The part with all rows of a range, and a later one. The whole file if the clock was set back, or if a time is in another unit,
 * which is an error. A step between two places may not show in their times: one place more is read on both sides.
 */
export const findPart = (places: readonly RowPlace[], { from, to }: TimeRange): FilePart => {
  const isInOrder = places.every(
    ({ at }, index) => unitOfTime(at) === undefined && at >= (places[index - 1]?.at ?? at),
  )
  if (!isInOrder) return wholeFile
  const before = places.slice(0, -1).findLastIndex(({ at }) => at < from) - 1
  const after = places.findIndex(({ at }) => at >= to)
  return {
    start: before > 0 ? (places[before]?.start ?? 0) : 0,
    end: (after < 0 ? undefined : places[after + 1]?.end) ?? Infinity,
  }
}

/** The first line of a file, and then a part of it. */
export async function* firstLineAndPart(
  bytes: FileBytes,
  { start, end }: FilePart,
): AsyncGenerator<Uint8Array, void> {
  if (start > 0) yield await firstLine(bytes)
  let position = start
  for await (const chunk of bytes.chunks(start)) {
    yield chunk.subarray(0, end - position)
    position += chunk.length
    if (position >= end) return
  }
}

/** The number of lines between the first line and a position. */
export const countLeftOut = async (bytes: FileBytes, before: number): Promise<number> => {
  let count = -1
  for await (const chunk of firstLineAndPart(bytes, { start: 0, end: before }))
    for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) count++
  return count
}

/** The last row; `undefined` if there is none. */
export const lastRow = async (bytes: FileBytes, size: number): Promise<RowPlace | undefined> => {
  for (let length = lineBytes; ; length *= 4) {
    const start = Math.max(0, size - length)
    const row = rowsIn(await bytes.read(start, length), start).at(-1)
    if (row !== undefined || start === 0) return row
  }
}

/** The first row that starts at a position or later; `undefined` if there is none. */
const rowFrom = async (bytes: FileBytes, position: number): Promise<RowPlace | undefined> => {
  const start = Math.max(0, position - 1)
  for (let length = lineBytes; ; length *= 4) {
    const read = await bytes.read(start, length)
    const isAtEnd = read.length < length
    const [row] = rowsIn(isAtEnd ? read : read.subarray(0, read.lastIndexOf(lineEnd) + 1), start)
    if (row !== undefined || isAtEnd) return row
  }
}

/** The rows in bytes of a file, after the first line, which may lack its start. `offset`: of the bytes in the file. */
const rowsIn = (bytes: Uint8Array, offset: number): readonly RowPlace[] => {
  const rows: RowPlace[] = []
  const decoder = new TextDecoder()
  for (let start = endOfLine(bytes, 0), end; start < bytes.length; start = end) {
    end = endOfLine(bytes, start)
    const at = timeOf(decoder.decode(bytes.subarray(start, end)))
    if (at !== undefined) rows.push({ at, start: offset + start, end: offset + end })
  }
  return rows
}

const timeOf = (line: string): number | undefined => {
  const written = writtenTime(line)
  if (written !== undefined) return written
  const row = decodeRow(line)
  return isRight(row) ? row.right.at : undefined
}

const firstLine = async (bytes: FileBytes): Promise<Uint8Array> => {
  for (let length = lineBytes; ; length *= 4) {
    const read = await bytes.read(0, length)
    if (read.includes(lineEnd) || read.length < length) return read.subarray(0, endOfLine(read, 0))
  }
}
