import { createFile } from '../../platform/node/files.js'
import { Gzip } from '../../platform/node/gzip.js'
import type { LineWriter } from './line-recorder.js'

/** A new file that receives the lines of a recording. */
export interface RecordingFile extends LineWriter {
  /** Length of the file, in bytes. */
  readonly bytes: number
  readonly close: () => void
}

/** A path that ends in this is compressed, unless the caller decides otherwise. */
export const gzipExtension = '.gz'

/**
 * Creates a file, and writes each line synchronously: a killed process loses no line. A gzip file is complete after each
 * line, too, because each line overwrites the trailer and adds a new one. Throws if the file cannot be created or exists
 * already: a recording is never overwritten.
 */
export const createRecordingFile = (
  path: string,
  isGzip: boolean = path.endsWith(gzipExtension),
): RecordingFile => {
  const file = createFile(path)
  const encoder = new TextEncoder()
  const gzip = isGzip ? new Gzip() : undefined
  /** Where the next line starts. */
  let end = 0
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    write: (line, done) => {
      const text = encoder.encode(line)
      try {
        const { data, trailer } = gzip?.compress(text) ?? { data: text, trailer: noTrailer }
        file.write(Buffer.concat([data, trailer]), end)
        end += data.length
        bytes = end + trailer.length
      } catch (thrown) {
        done(thrown as Error)
        return
      }
      done()
    },
    close: () => file.close(),
  }
}

const noTrailer = new Uint8Array(0)
