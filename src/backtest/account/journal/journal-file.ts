import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { renderIssue } from '../../../base/errors/render.js'
import { namingFile, openLineFile } from '../../recording/files/line-file.js'
import { JournalReading } from './journal-events.js'
import { emptyStart, stateMark, type Journal, type JournalStart } from './journal.js'

/**
 * Opens the journal of a run, and creates it if there is none. A last line that is torn, and events whose state is
 * missing, are removed: they were not emitted. Throws an error that names the file, and the line if it is not valid.
 */
export const openJournalFile = (path: string): Journal => {
  let start = emptyStart
  const endOf = (file: number): number => {
    const reading = readEnd(file)
    start = reading.start
    return reading.end.bytes
  }
  const { append, close } = namingFile(path, () => openLineFile(path, '{"_tag":', endOf))
  return { start, write: (lines) => namingFile(path, () => append(lines)), close }
}

/** What the next run of a journal continues with. Throws an error of the system, or one for a line that is not valid. */
export const readJournalStart = (path: string): JournalStart => {
  const file = openSync(path, 'r')
  try {
    return readEnd(file).start
  } finally {
    closeSync(file)
  }
}

/** Reads a journal from its last state on, which has all that the next run needs. */
const readEnd = (file: number): JournalReading => {
  const { size } = fstatSync(file)
  const tail = tailOf(file, size)
  const before = size - tail.length
  const reading = new JournalReading({ bytes: before, lines: 0 }, new Set())
  // The last part is empty, or a torn line.
  for (const text of tail.toString('utf8').split('\n').slice(0, -1)) {
    const error = reading.add(text)
    if (error === undefined) continue
    const problem = error.issues.map(renderIssue).join('; ')
    throw new Error(`line ${linesIn(file, before) + reading.lines}: ${problem}`)
  }
  return reading
}

/** The number of lines in the first bytes of a file. */
const linesIn = (file: number, length: number): number => {
  const chunk = Buffer.alloc(65_536)
  let lines = 0
  for (let at = 0; at < length; at += chunk.length) {
    const bytes = chunk.subarray(0, readSync(file, chunk, 0, Math.min(chunk.length, length - at), at))
    for (const byte of bytes) if (byte === 10) lines++
  }
  return lines
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
