import { left, right, type Either } from 'fp-ts/lib/Either.js'
import type { LineWriter } from '../../recording/index.js'
import { createRecordingFile, gzipExtension } from '../../recording/record/recording-file.js'
import { createRotatingFile } from './rotating-file.js'

/** The flags of `record` that select its output. */
export interface OutputFlags {
  readonly out?: string
  readonly gzip?: true
  /** In ms. */
  readonly rotate?: number
}

/** The output of `record`. */
export interface RecordOutput extends LineWriter {
  /** The number of bytes written so far. */
  readonly bytes: number
  readonly close: () => void
  /** The files so far, in words; undefined for standard output. */
  readonly name: string | undefined
}

/** Opens the output. Left: the message for flags that exclude each other, and for a file that cannot be created. */
export const openOutput = (
  { out, gzip, rotate }: OutputFlags,
  startAt: number,
): Either<string, RecordOutput> => {
  if (out === undefined) {
    if (rotate !== undefined)
      return left('--rotate: add --out, from which the names of the files are derived')
    if (gzip !== undefined) return left('--gzip: add --out, or compress standard output with | gzip')
    return right(standardOutput())
  }
  const isGzip = gzip ?? out.endsWith(gzipExtension)
  try {
    return right(rotate === undefined ? singleFile(out, isGzip) : rotatingFile(out, isGzip, rotate, startAt))
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    return left(
      code === 'EEXIST'
        ? `--out: ${out} already exists; choose another name, or move it`
        : `--out: ${message}`,
    )
  }
}

const standardOutput = (): RecordOutput => {
  const { stdout } = process
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

const singleFile = (path: string, isGzip: boolean): RecordOutput => {
  const file = createRecordingFile(path, isGzip)
  return {
    get bytes() {
      return file.bytes
    },
    name: path,
    write: file.write,
    close: file.close,
  }
}

const rotatingFile = (out: string, isGzip: boolean, period: number, startAt: number): RecordOutput => {
  const file = createRotatingFile(out, { period, isGzip, startAt })
  return {
    get bytes() {
      return file.bytes
    },
    get name() {
      return file.files === 1 ? file.path : `${file.files} files, the last of which is ${file.path}`
    },
    write: file.write,
    close: file.close,
  }
}
