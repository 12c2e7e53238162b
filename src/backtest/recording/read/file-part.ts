import { isRight } from 'fp-ts/lib/Either.js'
import { unitOfTime } from '../codec/times.js'
import { decodeRow } from '../codec/row-codec.js'
import { writtenTime, type TimeRange } from '../codec/timeline.js'
import { lineEnd, maxLineBytes } from './whole-lines.js'
import type { FileBytes } from './source.js'

// Where the rows of a range are in a plain file, without reading all of it.

/** A row may be earlier by this time than a row before it, in ms: so much more than the range is read. */
const clockTolerance = 60_000

/** The shortest part of which the time is read, in bytes. */
const minPart = 2 ** 16

/** The most parts of a file of which the times are read. */
const maxParts = 256

/** Bytes that are read at once for one line. Most lines are shorter. */
const lineBytes = 2 ** 10

/** A part of a file, in bytes: the lines that start in it. */
export interface FilePart {
  readonly start: number
  /** `Infinity`: to the end of the file. */
  readonly end: number
}

export const wholeFile: FilePart = { start: 0, end: Infinity }

/** The times of the first rows of the parts of a file, and of its last row, in ms since the Unix epoch. */
export interface PartTimes {
  /** The length of a part, in bytes. */
  readonly part: number
  readonly times: readonly number[]
}

/** `size`: of the file, in bytes. */
export const readTimes = async (bytes: FileBytes, size: number): Promise<PartTimes> => {
  const part = minPart * Math.ceil(size / minPart / maxParts)
  const last = (await lastTime(bytes, size)) ?? -Infinity
  const times: number[] = []
  for (let position = 0; position < size; position += part) {
    const start = Math.max(0, position - 1)
    const [first] = await timesIn(bytes, size, () => start)
    times.push(first ?? last)
  }
  return { part, times: [...times, last] }
}

/** The part with all rows of a range: the whole file if the clock was set back, or if a time is in another unit, which is an error. */
export const findPart = ({ part, times }: PartTimes, { from, to }: TimeRange): FilePart => {
  const isInMs = times.every((at) => unitOfTime(at) === undefined)
  if (!isInMs || times.some((at, index) => at < (times[index - 1] ?? at))) return wholeFile
  const first = times.findIndex((at) => at >= from - clockTolerance)
  const last = times.findIndex((at) => at >= to + clockTolerance)
  const start = part * Math.max(0, (first < 0 ? times.length - 1 : first) - 1)
  return { start, end: last < 0 ? Infinity : part * last }
}

export async function* firstLineAndPart(
  bytes: FileBytes,
  { start, end }: FilePart,
): AsyncGenerator<Uint8Array, void> {
  const first = await readLine(bytes, 0)
  yield first
  let position = Math.max(first.length, start) - 1
  let isInLine = true
  for await (const chunk of bytes.chunks(position)) {
    const from: number = isInLine ? chunk.indexOf(lineEnd) + 1 : 0
    const last = end - position <= chunk.length ? chunk.indexOf(lineEnd, Math.max(0, end - 1 - position)) : -1
    position += chunk.length
    isInLine &&= from === 0
    if (!isInLine) yield chunk.subarray(from, last < 0 ? undefined : last + 1)
    if (last >= 0) return
  }
}

export const countLines = async (bytes: FileBytes, before: number): Promise<number> => {
  let count = 0
  let position = 0
  if (before <= 0) return count
  for await (const chunk of bytes.chunks(0)) {
    const part = chunk.subarray(0, before - position)
    for (let at = part.indexOf(lineEnd); at >= 0; at = part.indexOf(lineEnd, at + 1)) count++
    position += part.length
    if (position >= before) break
  }
  return count
}

/** The time of the last row; `undefined` if there is none. */
export const lastTime = async (bytes: FileBytes, size: number): Promise<number | undefined> =>
  (await timesIn(bytes, size, (length) => Math.max(0, size - length))).at(-1)

/** The times of the rows in a part of a file, whose first line may lack its start. It grows until there is one. */
const timesIn = async (
  bytes: FileBytes,
  size: number,
  startOf: (length: number) => number,
): Promise<readonly number[]> => {
  for (let length = lineBytes; ; length *= 4) {
    const start = startOf(length)
    const lines = new TextDecoder().decode(await bytes.read(start, length)).split('\n')
    const times = lines.slice(1).flatMap((line) => timeOf(line) ?? [])
    if (times.length > 0 || start + length >= size) return times
  }
}

const timeOf = (line: string): number | undefined => {
  const written = writtenTime(line)
  if (written !== undefined) return written
  const row = decodeRow(line)
  return isRight(row) ? row.right.at : undefined
}

/** The bytes from a position to the next line end, included, or to the end of the file. */
const readLine = async (bytes: FileBytes, position: number): Promise<Uint8Array> => {
  for (let length = lineBytes; ; length *= 4) {
    const read = await bytes.read(position, length)
    const end = read.indexOf(lineEnd)
    if (end >= 0) return read.subarray(0, end + 1)
    if (read.length < length || length > maxLineBytes) return read
  }
}
