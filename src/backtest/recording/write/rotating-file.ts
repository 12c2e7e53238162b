import { getOrElseW } from 'fp-ts/lib/Either.js'
import { decodeHeader, encodeLine } from '../codec/row-codec.js'
import type { RecordingHeader } from '../codec/row.js'
import { writtenTime } from '../codec/timeline.js'
import { rotatedPath } from '../codec/rotated-path.js'
import { createRecordingFile, type RecordingFile } from './recording-file.js'

/** Lines in a sequence of new files. `write` and `close` throw if a line cannot be written. */
export interface RotatingFile extends Pick<RecordingFile, 'write' | 'close'> {
  /** A description of the files so far. */
  readonly name: string
}

interface RotatingFileOptions {
  /** Time between the starts of two files, in ms. A file starts at a multiple of it since the Unix epoch. */
  readonly period: number
  readonly isGzip: boolean
  /** The time at which the first file starts, in ms since the Unix epoch. */
  readonly startAt: number
  /** Monotonic, in ms. */
  readonly elapsed: () => number
  /** A file with this size is followed by the next one, in bytes. Default: no limit. */
  readonly maxFileBytes?: number
  /** Creates a file. Throws if it exists. */
  readonly create?: (path: string, isGzip: boolean) => RecordingFile
}

/**
 * Creates the first file. The first row of a later period creates the next file, which starts with its own header; so does a row
 * that is earlier by more than a period, because the clock was set back. One that is set back by less keeps the file: the next file
 * then follows the one before, which may have rows of that time. A file receives rows for at most one period. Throws if the first
 * file cannot be created.
 */
export const createRotatingFile = (
  out: string,
  {
    period,
    isGzip,
    startAt,
    elapsed,
    maxFileBytes = Infinity,
    create = createRecordingFile,
  }: RotatingFileOptions,
): RotatingFile => {
  /** `first`: the number of a file whose name is not taken. An earlier one is not used again, also if its file is deleted. */
  const open = (at: number, first = 1) => {
    for (let number = first; ; number++) {
      const path = rotatedPath(out, at, isGzip, number)
      try {
        return { number, path, file: create(path, isGzip), at, openedAt: elapsed() }
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
      }
    }
  }
  const isOver = (at: number): boolean =>
    Math.floor(at / period) > Math.floor(current.at / period) ||
    at < current.at - period ||
    elapsed() - current.openedAt >= period ||
    current.file.bytes >= maxFileBytes
  let header: RecordingHeader | undefined
  let current = open(startAt)
  let files = 1

  const rotate = (at: number): void => {
    const next = open(at, secondOf(at) === secondOf(current.at) ? current.number + 1 : 1)
    current.file.close()
    current = next
    files++
    if (header === undefined) return
    header = { ...header, at, continues: header.at }
    current.file.write(encodeLine(header), () => undefined)
  }

  return {
    get name() {
      return files === 1 ? current.path : `${files} files, the last of which is ${current.path}`
    },
    write: (line, done) => {
      const at = writtenTime(line)
      // The recording may have several headers.
      if (at === undefined) header = getOrElseW(() => header)(decodeHeader(line))
      else if (isOver(at)) rotate(at)
      current.file.write(line, done)
    },
    close: () => current.file.close(),
  }
}

/** The names of files have no fraction of a second. */
const secondOf = (at: number): number => Math.floor(at / 1000)
