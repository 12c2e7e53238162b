import { fstatSync, readFileSync, readSync } from 'node:fs'
import { isLeft, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { renderIssue } from '../../../base/errors/render.js'
import { recordingError, unreadableRecording } from '../../recording/codec/errors.js'
import { namingFile, openLineFile, wholeLines } from '../../recording/files/line-file.js'
import type { PaperEvent } from '../events.js'
import { decodeJournalLine } from './journal-codec.js'
import { startTag, stateMark, type Journal, type SavedState } from './journal.js'

/** Opens or creates the journal of a run. What follows the last state was not emitted, and is removed. Throws, with file and line. */
export const openJournalFile = (path: string): Journal => {
  let saved: SavedState | undefined
  const endOf = (file: number): number => {
    const last = readLastState(path, file)
    saved = last.state
    return last.end
  }
  const { append, close } = namingFile(path, () => openLineFile(path, `{"_tag":"${startTag}"`, endOf))
  return { saved, write: (lines) => namingFile(path, () => append(lines)), close }
}

/** `end`: of its line, in bytes; 0 without a state. */
interface LastState {
  readonly state?: SavedState
  readonly end: number
}

/** Reads a journal from its end: it may be long. */
const readLastState = (path: string, file: number): LastState => {
  const { size } = fstatSync(file)
  for (let length = Math.min(size, 65_536); ; length = Math.min(size, length * 4)) {
    const [bytes, before] = [Buffer.alloc(length), size - length]
    readSync(file, bytes, 0, length, before)
    // Without a torn last line.
    const lines = bytes.subarray(0, bytes.lastIndexOf('\n') + 1)
    const start = lines.lastIndexOf(`\n${stateMark}`) + 1
    if (start > 0 || before === 0) return lastStateOf(path, lines.toString('utf8', start), before + start)
  }
}

/** The last state in the text from a byte of a journal on, also one with other spaces. Throws for a line that is damaged. */
const lastStateOf = (path: string, text: string, start: number): LastState => {
  let [last, end]: [LastState, number] = [{ end: 0 }, start]
  for (const each of text.split('\n').slice(0, -1)) {
    const line = decodeJournalLine(each)
    if (isLeft(line)) {
      const number = readFileSync(path).subarray(0, end).toString('latin1').split('\n').length
      throw new Error(`line ${number}: ${line.left.issues.map(renderIssue).join('; ')}`)
    }
    end += Buffer.byteLength(each) + 1
    if (line.right._tag === 'State') last = { state: line.right, end }
  }
  return last
}

/** A position in a journal: the bytes and the lines before it. */
export interface JournalPosition {
  readonly bytes: number
  readonly lines: number
}

export const journalStart: JournalPosition = { bytes: 0, lines: 0 }

/** Events, and the end of the state after them. */
interface JournalPart {
  readonly events: readonly PaperEvent[]
  readonly end: JournalPosition
}

/**
 * The events of all runs of a journal, as they were emitted: for `summaryOf` and `renderReport`. The file may still be
 * written to. A last line that is torn is left out, and so are events without a state after them, which were not emitted. In Node
 * alone.
 *
 * Left: a `RecordingError` with the line, if the file cannot be read or is no journal of an account.
 *
 * @example
 * import { isRight } from 'svc-streams'
 * const events = await journalEvents('desk.ndjson')()
 * if (isRight(events)) console.log(summaryOf(events.right))
 */
export const journalEvents =
  (path: string): TaskEither<RecordingError, readonly PaperEvent[]> =>
  async () =>
    map(({ events }: JournalPart) => events)(await readJournal(path))

/** Reads the events from `start` on, which is the `end` of an earlier reading. `isWanted`: of those that are kept. */
export const readJournal = async (
  path: string,
  start = journalStart,
  isWanted: (event: PaperEvent) => boolean = () => true,
): Promise<Either<RecordingError, JournalPart>> => {
  const events: PaperEvent[] = []
  let unsaved: PaperEvent[] = []
  let { bytes, lines } = start
  let end = start
  try {
    for await (const text of wholeLines(path, start.bytes)) {
      bytes += Buffer.byteLength(text) + 1
      lines++
      const line = decodeJournalLine(text)
      if (isLeft(line)) return left(recordingError(path, lines, text, line.left.issues))
      const value = line.right
      if (value._tag === 'State') {
        events.push(...unsaved)
        end = { bytes, lines }
      }
      if (value._tag === 'State' || value._tag === startTag) unsaved = []
      else if (isWanted(value)) unsaved.push(value)
    }
  } catch (thrown) {
    return left(unreadableRecording(path, lines + 1, thrown))
  }
  return right({ events, end })
}
