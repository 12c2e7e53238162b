import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { acquireLock } from './lock.js'
import { startFrom, stateMark, type Journal } from './journal.js'

/**
 * Opens the journal of a run, and creates it if there is none. A last line that is torn, and events whose state is
 * missing, are removed: they were not emitted. Each write is synchronous: a killed process loses nothing. Only at the end
 * the file is also flushed to the disk, because a flush for each event would block the event loop.
 */
export const openJournalFile = (path: string): Journal => {
  const release = acquireLock(resolve(path))
  let file: number | undefined
  try {
    file = openSync(path, 'a+')
    return journalOf(path, file, release)
  } catch (thrown) {
    if (file !== undefined) closeSync(file)
    release()
    throw thrown
  }
}

const journalOf = (path: string, file: number, release: () => void): Journal => {
  const size = fstatSync(file).size
  const tail = tailOf(file, size)
  // The last part is empty, or a torn line.
  const lines = tail.toString('utf8').split('\n').slice(0, -1)
  const { kept, ...start } = namingFile(path, () => startFrom(lines))
  let end =
    size - tail.length + lines.slice(0, kept).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  ftruncateSync(file, end)
  return {
    start,
    write: (text) => {
      const bytes = Buffer.from(text)
      try {
        for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
      } catch (thrown) {
        ftruncateSync(file, end)
        throw thrown
      }
      end += bytes.length
    },
    close: () => {
      try {
        fsyncSync(file)
      } finally {
        closeSync(file)
        release()
      }
    },
  }
}

const namingFile = <A>(path: string, read: () => A): A => {
  try {
    return read()
  } catch (thrown) {
    throw new Error(`${path}: ${(thrown as Error).message}`, { cause: thrown })
  }
}

/** The bytes from the start of the last line of a state on, or of the whole file if it has none. */
const tailOf = (file: number, size: number): Buffer => {
  for (let length = Math.min(size, 65_536); ; length = Math.min(size, length * 4)) {
    const bytes = Buffer.alloc(length)
    readSync(file, bytes, 0, length, size - length)
    const mark = bytes.lastIndexOf(`\n${stateMark}`)
    // A torn line of a state is not the last state.
    const isWhole = mark >= 0 && bytes.includes('\n', mark + 1)
    const before = mark >= 0 && !isWhole ? bytes.lastIndexOf(`\n${stateMark}`, mark - 1) : mark
    if (before >= 0) return bytes.subarray(before + 1)
    if (length === size) return bytes
  }
}
