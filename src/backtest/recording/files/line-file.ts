import { createReadStream, fstatSync, fsyncSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeError } from '../codec/errors.js'
import type { WriteError } from '../../../base/errors/model.js'
import { describeValue } from '../../../base/errors/text.js'
import { openFile } from './appended-file.js'
import { lockFile } from './file-lock.js'

/** A file of lines to which one process appends. */
export interface LineFile {
  /** Appends whole lines before it returns: a killed process loses none. Throws if they cannot be written, without effect. */
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
  const file = openFile(path)
  let release = (): void => undefined
  try {
    release = lockFile(lockPathOf(path)).release
    checkStart(file.descriptor, lineStart)
    file.cut(endOf(file.descriptor))
  } catch (thrown) {
    release()
    file.close()
    throw thrown
  }
  return {
    append: (lines) => file.append(Buffer.from(lines)),
    close: () => {
      try {
        fsyncSync(file.descriptor)
      } finally {
        file.close()
        release()
      }
    },
  }
}

/** The lock of a file, in its folder: the same one for a symbolic link to the file, and for another name of it. */
export const lockPathOf = (path: string): string => {
  const file = realpathSync.native(path)
  return join(dirname(file), `.svc-streams-${statSync(file, { bigint: true }).ino}.lock`)
}

/** The result of an action. Throws an error that is a `WriteError`, whose message begins with the name of the file. */
export const namingFile = <A>(name: string, action: () => A): A => {
  try {
    return action()
  } catch (thrown) {
    const { cause } = writeError(thrown)
    const error = new Error(`${name}: ${cause.message}`)
    throw Object.assign(error, { _tag: 'WriteError', cause } satisfies Partial<WriteError>)
  }
}

/** Without this, the last line of any file would be taken for one that a killed process left. */
const checkStart = (file: number, lineStart: string): void => {
  const bytes = Buffer.alloc(80)
  const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  if (!text.startsWith(lineStart) && !lineStart.startsWith(text))
    throw new Error(`expected a line of a journal, got ${describeValue(text.split('\n', 1)[0])}`)
}

const lineFeed = 10

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

/** A last line without an end is left out: a killed process wrote it. Throws an error of the system. `start`: in bytes. */
export async function* wholeLines(path: string, start = 0): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', start })) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
