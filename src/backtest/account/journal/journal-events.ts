import { left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { recordingError, unreadableRecording } from '../../recording/codec/errors.js'
import { wholeLines } from '../../recording/files/line-file.js'
import type { PaperEvent } from '../events.js'
import { JournalReading, type JournalPosition } from './journal-reading.js'

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
    map(({ events }: Pick<JournalReading, 'events'>) => events)(await readJournal(path))

/** Reads the events from `start` on, which is the `end` of an earlier reading. `wanted`: their tags. */
export const readJournal = async (
  path: string,
  start?: JournalPosition,
  wanted?: ReadonlySet<unknown>,
): Promise<Either<RecordingError, Pick<JournalReading, 'events' | 'end'>>> => {
  const reading = new JournalReading(start, wanted)
  try {
    for await (const text of wholeLines(path, start?.bytes)) {
      const error = reading.add(text)
      if (error !== undefined) return left(recordingError(path, reading.lines, text, error.issues))
    }
  } catch (thrown) {
    return left(unreadableRecording(path, reading.lines + 1, thrown))
  }
  return right(reading)
}
