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
import { describeValue, messageOf } from '../../../base/errors/text.js'
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
 * Opens a file, or creates it. `lineStart`: the text with which each line begins. `endOf` returns the length of what is kept, in
 * bytes; by default all but a last line without an end, which a killed process left. Throws an error of the system, one that
 * names the process that appends to the file, or one for a file of something else, which stays as it is.
 */
export const openLineFile = (
  path: string,
  lineStart: string,
  endOf: (file: number) => number = endOfLines,
): LineFile => {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT)
  let release = (): void => undefined
  let end: number
  try {
    release = lockFile(`${path}.lock`).release
    checkStart(file, lineStart)
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

/** Without this, the last line of any file would be taken for one that a killed process left. */
const checkStart = (file: number, lineStart: string): void => {
  const bytes = Buffer.alloc(80)
  const [first = ''] = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0)).split('\n')
  if (!first.startsWith(lineStart) && !lineStart.startsWith(first))
    throw new Error(`expected a line of a journal, got ${describeValue(first)}`)
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
