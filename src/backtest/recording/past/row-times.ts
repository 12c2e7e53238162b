import { isRight } from 'fp-ts/lib/Either.js'
import { decodeRow } from '../format/row-codec.js'
import { writtenTime } from '../format/timeline.js'
import { lineEnd } from '../read/whole-lines.js'
import type { FileBytes } from '../read/source.js'

// Where the rows of a time are in a plain file, without reading all of it.

/**
 * `positionOf` finds the rows of a clock that was set back by at most this time, in ms. It starts earlier by this time, so that
 * no row is missed.
 */
export const clockTolerance = 60_000

/** The search ends when this many bytes are left. */
const searchedBytes = 2 ** 16

/** The most parts of a file of which the times are read. */
const maxParts = 256

/** Bytes that are read at once for one line. Most lines are shorter. */
const lineBytes = 2 ** 10

/** A longer line is not a row. */
const maxLineBytes = 2 ** 24

/** The times of the first rows of the parts of a file, and of its last row, in ms since the Unix epoch. */
export interface RowTimes {
  /** The length of a part, in bytes. */
  readonly part: number
  readonly times: readonly number[]
}

/** `size`: of the file, in bytes. */
export const readTimes = async (bytes: FileBytes, size: number): Promise<RowTimes> => {
  const part = searchedBytes * Math.ceil(size / searchedBytes / maxParts)
  const last = (await lastTime(bytes, size)) ?? -Infinity
  const times: number[] = []
  for (let position = 0; position < size; position += part)
    times.push((await timeFrom(bytes, position, size)) ?? last)
  return { part, times: [...times, last] }
}

/** True if a time is earlier than the one before it, or the first one than the start: the clock was set back. */
export const stepsBack = ({ times }: RowTimes, start: number): boolean =>
  times.some((at, index) => at < (times[index - 1] ?? start))

/**
 * A position before all rows of a time, in ms since the Unix epoch, and of later times. It is close to these rows if the
 * times ascend.
 */
export const findPosition = async (
  bytes: FileBytes,
  { part, times }: RowTimes,
  time: number,
): Promise<number> => {
  const earliest = time - clockTolerance
  // A part in which the clock was set back may have rows of any later time.
  const next = times.findIndex((at, index) => at >= earliest || at < (times[index - 1] ?? at))
  let before = part * Math.max(0, (next < 0 ? times.length - 1 : next) - 1)
  let after = before + part
  while (after - before > searchedBytes) {
    const middle = Math.floor((before + after) / 2)
    const at = await timeFrom(bytes, middle, after)
    if (at === undefined || at >= earliest) after = middle
    else before = middle
  }
  return before
}

/** The time of the last row; `undefined` if there is none. */
const lastTime = async (bytes: FileBytes, size: number): Promise<number | undefined> => {
  for (let length = lineBytes; ; length *= 4) {
    const end = await bytes.read(Math.max(0, size - length), length)
    const lines = new TextDecoder().decode(end).split('\n')
    // The first line may lack its start.
    const times = lines.slice(1).map(timeOf)
    const last = times.findLast((at) => at !== undefined)
    if (last !== undefined || length >= size) return last
  }
}

/** The time of the first row that starts at a position or after it, and before another; `undefined` if there is none. */
const timeFrom = async (bytes: FileBytes, position: number, before: number): Promise<number | undefined> => {
  const decoder = new TextDecoder()
  let start = Math.max(0, position - 1)
  for (let isPart = true; start < before; isPart = false) {
    const line = await readLine(bytes, start)
    start += line.length
    const time = isPart ? undefined : timeOf(decoder.decode(line))
    if (time !== undefined) return time
    if (line.length === 0) return undefined
  }
  return undefined
}

/** The time of a row; `undefined` for any other line. */
const timeOf = (line: string): number | undefined => {
  const written = writtenTime(line)
  if (written !== undefined) return written
  const row = decodeRow(line)
  return isRight(row) ? row.right.at : undefined
}

/** The bytes from a position to the next line end, included, or to the end of the file. */
export const readLine = async (bytes: FileBytes, position: number): Promise<Uint8Array> => {
  for (let length = lineBytes; ; length *= 4) {
    const read = await bytes.read(position, length)
    const end = read.indexOf(lineEnd)
    if (end >= 0) return read.subarray(0, end + 1)
    if (read.length < length || length > maxLineBytes) return read
  }
}
