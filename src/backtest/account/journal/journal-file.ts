import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isLeft } from 'fp-ts/lib/Either.js'
import { renderIssue } from '../../../base/errors/render.js'
import { namingFile, openLineFile } from '../../recording/files/line-file.js'
import { decodeJournalLine } from './journal-codec.js'
import { changes, emptyStart, stateMark, type Journal } from './journal.js'
import type { JournalStart } from './saved-state.js'

/**
 * Opens the journal of a run, and creates it if there is none. A last line that is torn, and events whose state is
 * missing, are removed: they were not emitted. Throws an error that names the file, and the line if it is not valid.
 */
export const openJournalFile = (path: string): Journal => {
  let start = emptyStart
  const endOf = (file: number): number => {
    const end = endOfJournal(file)
    start = end.start
    return end.bytes
  }
  const { append, close } = namingFile(path, () => openLineFile(path, '{"_tag":', endOf))
  return { start, write: (lines) => namingFile(path, () => append(lines)), close }
}

/** What the next run of a journal continues with. Throws an error of the system, or one for a line that is not valid. */
export const readJournalStart = (path: string): JournalStart => {
  const file = openSync(path, 'r')
  try {
    return endOfJournal(file).start
  } finally {
    closeSync(file)
  }
}

/** The start of the next run, and the length of what is kept, in bytes. */
const endOfJournal = (file: number): { readonly start: JournalStart; readonly bytes: number } => {
  const { size } = fstatSync(file)
  const tail = tailOf(file, size)
  // The last part is empty, or a torn line.
  const lines = tail.toString('utf8').split('\n').slice(0, -1)
  const { kept, ...start } = startFrom(lines, () => linesIn(file, size - tail.length))
  const keptBytes = lines.slice(0, kept).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  return { start, bytes: size - tail.length + keptBytes }
}

/**
 * The start of a run from the last lines of a journal: the last state, if there is one, and what follows. `kept` is the
 * number of these lines to keep: events that change the account, but whose state is missing, were not written wholly.
 * Throws for a line that is not one of a journal. `linesBefore`: the number of lines before these.
 */
const startFrom = (
  lines: readonly string[],
  linesBefore: () => number,
): JournalStart & { readonly kept: number } => {
  let start = emptyStart
  for (const [index, text] of lines.entries()) {
    const line = decodeJournalLine(text)
    if (isLeft(line)) {
      const problem = line.left.issues.map(renderIssue).join('; ')
      throw new Error(`line ${linesBefore() + index + 1}: ${problem}`)
    }
    const value = line.right
    if (value._tag === 'State') {
      const { prices, sampled } = value
      start = { saved: value, prices, sampled, at: Math.max(start.at, value.at) }
    } else if (value._tag === 'Equity') {
      const { at, prices, isCurrent } = value
      start = { ...start, prices, sampled: { at, isCurrent }, at: Math.max(start.at, at) }
    } else if (changes.has(value._tag) && !lines.slice(index).some((each) => each.startsWith(stateMark)))
      return { ...start, kept: index }
  }
  return { ...start, kept: lines.length }
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
