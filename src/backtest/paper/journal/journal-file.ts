import { fstatSync, readSync } from 'node:fs'
import { namingFile, openLineFile } from '../../recording/files/line-file.js'
import { emptyStart, startFrom, stateMark, type Journal } from './journal.js'

/**
 * Opens the journal of a run, and creates it if there is none. A last line that is torn, and events whose state is
 * missing, are removed: they were not emitted.
 */
export const openJournalFile = (path: string): Journal => {
  let start = emptyStart
  const endOf = (file: number): number => {
    const { size } = fstatSync(file)
    const tail = tailOf(file, size)
    // The last part is empty, or a torn line.
    const lines = tail.toString('utf8').split('\n').slice(0, -1)
    const { kept, ...found } = startFrom(lines)
    start = found
    const keptBytes = lines.slice(0, kept).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
    return size - tail.length + keptBytes
  }
  const { append, close } = namingFile(path, () => openLineFile(path, '{"_tag":', endOf))
  return { start, write: append, close }
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
