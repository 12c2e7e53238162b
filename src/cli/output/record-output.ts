import { join, parse } from 'node:path'
import type { Writable } from 'node:stream'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { decodeHeader, encodeRow } from '../../recording/format/row-codec.js'
import type { RecordingHeader } from '../../recording/format/row.js'
import { writtenTime } from '../../recording/format/timeline.js'
import type { LineWriter } from '../../recording/index.js'
import {
  createRecordingFile,
  gzipExtension,
  type RecordingFile,
} from '../../recording/record/recording-file.js'

export interface OutputFlags {
  readonly out?: string
  readonly gzip?: true
  /** In ms. */
  readonly rotate?: number
}

export interface RecordOutput extends LineWriter {
  readonly bytes: number
  readonly close: () => void
  /** The files so far, in words; undefined for standard output. */
  readonly name: string | undefined
}

/** Opens the output. Left: the message for flags that exclude each other, and for a file that cannot be created. */
export const openOutput = (
  { out, gzip, rotate }: OutputFlags,
  startAt: number,
  stdout: Writable,
): Either<string, RecordOutput> => {
  if (out === undefined) {
    if (rotate !== undefined)
      return left('--rotate: add --out, from which the names of the files are derived')
    if (gzip !== undefined) return left('--gzip: add --out, or compress standard output with | gzip')
    return right(standardOutput(stdout))
  }
  const isGzip = gzip ?? out.endsWith(gzipExtension)
  try {
    return right(
      rotate === undefined
        ? Object.assign(createRecordingFile(out, isGzip), { name: out })
        : createRotatingFile(out, { period: rotate, isGzip, startAt }),
    )
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    return left(
      code === 'EEXIST'
        ? `--out: ${out} already exists; choose another name, or move it`
        : `--out: ${message}`,
    )
  }
}

const standardOutput = (stdout: Writable): RecordOutput => {
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    name: undefined,
    write: (line, done) => {
      bytes += Buffer.byteLength(line)
      stdout.write(line, done)
    },
    on: (event, failed) => stdout.on(event, failed),
    off: (event, failed) => stdout.off(event, failed),
    close: () => undefined,
  }
}

/** Lines in a sequence of new files. */
interface RotatingFile extends RecordingFile {
  readonly files: number
  readonly path: string
  /** The files so far, in words. */
  readonly name: string
}

interface RotatingFileOptions {
  /** Time between the starts of two files, in ms. A file starts at a multiple of it since the Unix epoch. */
  readonly period: number
  readonly isGzip: boolean
  /** The time at which the first file starts, in ms since the Unix epoch. */
  readonly startAt: number
}

/**
 * Creates the first file. The first row of a later period creates the next one, which starts with a header of its own.
 * Throws if the first file cannot be created.
 */
export const createRotatingFile = (
  out: string,
  { period, isGzip, startAt }: RotatingFileOptions,
): RotatingFile => {
  const open = (at: number) => createFreeFile((number) => rotatedPath(out, at, isGzip, number), isGzip)
  const periodAfter = (at: number): number => Math.floor(at / period) * period + period
  let header: RecordingHeader | undefined
  let current = open(startAt)
  let nextAt = periodAfter(startAt)
  let files = 1
  let closedBytes = 0

  const rotate = (at: number, done: (error?: Error | null) => void): void => {
    const next = open(at)
    closedBytes += current.file.bytes
    current.file.close()
    current = next
    nextAt = periodAfter(at)
    files++
    if (header === undefined) return
    header = { ...header, at, continues: header.at }
    current.file.write(`${encodeRow(header)}\n`, done)
  }

  return {
    get files() {
      return files
    },
    get path() {
      return current.path
    },
    get name() {
      return files === 1 ? current.path : `${files} files, the last of which is ${current.path}`
    },
    get bytes() {
      return closedBytes + current.file.bytes
    },
    write: (line, done) => {
      header ??= headerOf(line)
      const at = writtenTime(line)
      try {
        if (at !== undefined && at >= nextAt) rotate(at, failOnly(done))
      } catch (thrown) {
        done(thrown as Error)
        return
      }
      current.file.write(line, done)
    },
    close: () => current.file.close(),
  }
}

const headerOf = (line: string): RecordingHeader | undefined => {
  const header = decodeHeader(line)
  return isLeft(header) ? undefined : header.right
}

/** The writer confirms a line once, after the line itself. */
const failOnly =
  (done: (error: Error) => void) =>
  (error?: Error | null): void => {
    if (error !== undefined && error !== null) done(error)
  }

const createFreeFile = (
  pathOf: (number: number) => string,
  isGzip: boolean,
): { readonly path: string; readonly file: RecordingFile } => {
  for (let number = 1; ; number++) {
    const path = pathOf(number)
    try {
      return { path, file: createRecordingFile(path, isGzip) }
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    }
  }
}

/**
 * The path of the file that starts at a time: `market.ndjson` becomes `market.2026-11-22T10-00-00Z.ndjson`, in UTC, so
 * that the order of the names is the order of the files. A number follows the time if the name is taken.
 */
const rotatedPath = (out: string, at: number, isGzip: boolean, number: number): string => {
  const { dir, base } = parse(out)
  const isNamedGzip = base.endsWith(gzipExtension)
  const { name, ext } = parse(isNamedGzip ? base.slice(0, -gzipExtension.length) : base)
  const time = `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  const taken = number === 1 ? '' : `_${number}`
  return join(dir, `${name}.${time}${taken}${ext}${isNamedGzip || isGzip ? gzipExtension : ''}`)
}
