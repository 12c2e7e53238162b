import { closeSync, constants, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { chunkBytes } from './files.js'
import { lockFile } from './file-lock.js'

/** A file of lines to which one process appends. */
export interface LineFile {
  /**
   * Appends a line, which must end in a line feed, before it returns: a killed process loses no line. If the line cannot be
   * written completely, for example on a full disk, the written part is removed, and the error is thrown.
   */
  readonly append: (line: string) => void
  readonly close: () => void
}

/**
 * Opens a file, or creates it, and passes each of its lines to `onLine`. A last line without an end, which a killed process
 * left, is removed. Throws an error of the system, or a `LockedError` if another process appends to the file.
 */
export const openLineFile = (path: string, onLine: (line: string) => void = () => undefined): LineFile => {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT)
  const release = orClose(file, () => lockFile(`${path}.lock`)).release
  const close = (): void => {
    release()
    closeSync(file)
  }
  let end: number
  try {
    end = readLines(file, onLine)
    ftruncateSync(file, end)
  } catch (thrown) {
    close()
    throw thrown
  }
  const append = (line: string): void => {
    const data = Buffer.from(line)
    try {
      for (let written = 0; written < data.length;)
        written += writeSync(file, data, written, data.length - written, end + written)
    } catch (thrown) {
      ftruncateSync(file, end)
      throw thrown
    }
    end += data.length
  }
  return { append, close }
}

const orClose = <A>(file: number, action: () => A): A => {
  try {
    return action()
  } catch (thrown) {
    closeSync(file)
    throw thrown
  }
}

const lineFeed = 10

/** Reads the complete lines. Returns the position after the last one, in bytes. */
const readLines = (file: number, onLine: (line: string) => void): number => {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let rest = Buffer.alloc(0)
  let position = 0
  for (;;) {
    const bytes = readSync(file, chunk, 0, chunk.length, position)
    if (bytes === 0) return position - rest.length
    position += bytes
    const data = Buffer.concat([rest, chunk.subarray(0, bytes)])
    let start = 0
    for (let feed = data.indexOf(lineFeed); feed >= 0; feed = data.indexOf(lineFeed, start)) {
      onLine(data.toString('utf8', start, feed))
      start = feed + 1
    }
    rest = data.subarray(start)
  }
}
