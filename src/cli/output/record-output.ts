import type { Writable } from 'node:stream'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import type { LineWriter } from '../../recording/index.js'
import { createRecordingFile, gzipExtension } from '../../recording/record/recording-file.js'
import { createRotatingFile } from '../../recording/record/rotating-file.js'

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
