import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { messageOf } from '../../../base/errors/text.js'
import { lockFile, LockedError } from './file-lock.js'

/** A file of lines to which one process appends. */
export interface LineFile {
  /**
   * Appends whole lines before it returns: a killed process loses none. If they cannot be written completely, for example on a
   * full disk, the written part is removed, and the error is thrown.
   */
  readonly append: (lines: string) => void
  /** Flushes the file to the disk. A flush for each line would block the event loop. */
  readonly close: () => void
}

/**
 * Opens a file, or creates it. `endOf` returns the length of what is kept, in bytes; by default all but a last line without an
 * end, which a killed process left. Throws an error of the system, or one that names the process that appends to the file.
 */
export const openLineFile = (path: string, endOf: (file: number) => number = endOfLines): LineFile => {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT)
  let release = (): void => undefined
  let end: number
  try {
    release = lockFile(`${path}.lock`).release
    end = endOf(file)
    ftruncateSync(file, end)
  } catch (thrown) {
    release()
    closeSync(file)
    throw thrown instanceof LockedError ? new Error(`in use by process ${thrown.pid}`) : thrown
  }
  const append = (lines: string): void => {
    const data = Buffer.from(lines)
    try {
      for (let written = 0; written < data.length;)
        written += writeSync(file, data, written, data.length - written, end + written)
    } catch (thrown) {
      ftruncateSync(file, end)
      throw thrown
    }
    end += data.length
  }
  const close = (): void => {
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
      release()
    }
  }
  return { append, close }
}

/** The result of an action. The message of its error begins with the name of the file. */
export const namingFile = <A>(name: string, action: () => A): A => {
  try {
    return action()
  } catch (thrown) {
    throw new Error(`${name}: ${messageOf(thrown)}`, { cause: thrown })
  }
}

const lineFeed = 10

/** The position after the last line feed. */
const endOfLines = (file: number): number => {
  const chunk = Buffer.allocUnsafe(65_536)
  for (let end = fstatSync(file).size; end > 0;) {
    const start = Math.max(0, end - chunk.length)
    readSync(file, chunk, 0, end - start, start)
    const feed = chunk.subarray(0, end - start).lastIndexOf(lineFeed)
    if (feed >= 0) return start + feed + 1
    end = start
  }
  return 0
}

/**
 * The lines of a file that processes may have been killed while they wrote it: a last line without an end is left out. Throws an
 * error of the system. `start`: where they begin, in bytes.
 */
export async function* wholeLines(path: string, start = 0): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', start })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
