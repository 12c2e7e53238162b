import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'

/** The bytes of a file. It is opened on the first read, which rejects if that fails. */
export const readFileBytes = (path: string | URL): AsyncIterable<Uint8Array> => createReadStream(path)

/** A file that is written synchronously: what was written survives when the process is killed. */
export interface NewFile {
  /** Writes all bytes at a position, counted from the start of the file. */
  readonly write: (bytes: Uint8Array, position: number) => void
  readonly close: () => void
}

/** Throws if the file cannot be created, or exists already. */
export const createFile = (path: string): NewFile => {
  const file = openSync(path, 'wx')
  return {
    write: (bytes, position) => {
      for (let written = 0; written < bytes.length;) {
        written += writeSync(file, bytes, written, bytes.length - written, position + written)
      }
    },
    close: () => closeSync(file),
  }
}
