import { isLeft, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { recordingError, unreadableRecording } from '../../recording/codec/errors.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { wholeLines } from '../../recording/files/line-file.js'
import type { PaperEvent } from '../events.js'
import { decodeJournalLine } from './journal-codec.js'
import { changes, eventTags } from './journal.js'

/**
 * The events of all runs of a journal, as they were emitted: for `summaryOf` and `renderReport`. The file may still be
 * written to. A last line that is torn is left out, and so are events whose state is missing, which were not emitted. In Node
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

/** A position in a journal: the bytes and the lines before it. */
export interface JournalPosition {
  readonly bytes: number
  readonly lines: number
}

export const journalStart: JournalPosition = { bytes: 0, lines: 0 }

/** The events of a journal from a position on, and where the next ones begin. */
export interface JournalPart {
  readonly events: readonly PaperEvent[]
  readonly end: JournalPosition
}

/** Reads the events from `start` on, which is the `end` of an earlier part. `wanted`: their tags. */
export const readJournal = async (
  path: string,
  start = journalStart,
  wanted = eventTags,
): Promise<Either<RecordingError, JournalPart>> => {
  const events: PaperEvent[] = []
  /** The events since the first one whose state is still missing. */
  let unsaved: PaperEvent[] = []
  let isUnsaved = false
  let { bytes, lines } = start
  let end = start
  try {
    for await (const text of wholeLines(path, bytes)) {
      bytes += Buffer.byteLength(text) + 1
      lines++
      const line = decodeJournalLine(text)
      if (isLeft(line)) return left(recordingError(path, lines, text, line.left.issues))
      const value = line.right
      if (value._tag === 'State') {
        events.push(...unsaved)
        unsaved = []
        isUnsaved = false
      }
      isUnsaved ||= changes.has(value._tag)
      if (value._tag !== 'State' && value._tag !== 'Start' && wanted.has(value._tag))
        (isUnsaved ? unsaved : events).push(value)
      if (!isUnsaved) end = { bytes, lines }
    }
  } catch (thrown) {
    return left(unreadableRecording(path, lines + 1, thrown))
  }
  return right({ events, end })
}
