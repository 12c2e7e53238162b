import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'

/** A larger chunk than Node's default of 64 kB: a recording is read in less CPU time. */
const chunkBytes = 2 ** 18

/** The bytes of a file. It is opened on the first read, which rejects if that fails. */
export const readFileBytes = (path: string | URL): AsyncIterable<Uint8Array> =>
  createReadStream(path, { highWaterMark: chunkBytes })

/** A file that is written synchronously: what was written survives when the process is killed. */
export interface NewFile {
  /** Writes the first `length` bytes, by default all, at a position, counted from the start of the file. */
  readonly write: (bytes: Uint8Array, position: number, length?: number) => void
  readonly close: () => void
}

/** Throws if the file cannot be created, or exists already. */
export const createFile = (path: string): NewFile => {
  const file = openSync(path, 'wx')
  return {
    write: (bytes, position, length = bytes.length) => {
      for (let written = 0; written < length;) {
        written += writeSync(file, bytes, written, length - written, position + written)
      }
    },
    close: () => closeSync(file),
  }
}
