import { isLeft, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { DecodeError, RecordingError } from '../../../base/errors/model.js'
import { recordingError, unreadableRecording } from '../../recording/codec/errors.js'
import { wholeLines } from '../../recording/files/line-file.js'
import type { PaperEvent } from '../events.js'
import { decodeJournalLine } from './journal-codec.js'
import { changes, emptyStart, eventTags, type JournalStart } from './journal.js'

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

/** A position in a journal: the bytes and the lines before it. */
export interface JournalPosition {
  readonly bytes: number
  readonly lines: number
}

export const journalStart: JournalPosition = { bytes: 0, lines: 0 }

/**
 * Reads the lines of a journal in order. Events that change the account count once the line of their state follows: those of a
 * torn write, without one, were not emitted.
 */
export class JournalReading {
  readonly events: PaperEvent[] = []
  /** What the next run continues with. */
  start = emptyStart
  /** The end of what counts. */
  end: JournalPosition
  /** The events since the first one whose state is still missing. */
  private unsaved: PaperEvent[] | undefined

  /** `position`: of the next line. `wanted`: the tags of the events that are kept. */
  constructor(
    private position = journalStart,
    private readonly wanted = eventTags,
  ) {
    this.end = position
  }

  /** The number of lines so far. */
  get lines(): number {
    return this.position.lines
  }

  /** Returns an error for a line that is none of a journal. */
  add(text: string): DecodeError | undefined {
    const { bytes, lines } = this.position
    this.position = { bytes: bytes + Buffer.byteLength(text) + 1, lines: lines + 1 }
    const line = decodeJournalLine(text)
    if (isLeft(line)) return line.left
    const value = line.right
    if (value._tag === 'State') {
      this.events.push(...(this.unsaved ?? []))
      this.unsaved = undefined
      this.continueFrom({ ...value, saved: value })
    } else if (changes.has(value._tag)) this.unsaved ??= []
    else if (value._tag === 'Equity' && this.unsaved === undefined) {
      const { at, isCurrent, prices } = value
      this.continueFrom({ ...this.start, prices, at, sampled: { at, isCurrent } })
    }
    if (value._tag !== 'State' && value._tag !== 'Start' && this.wanted.has(value._tag))
      (this.unsaved ?? this.events).push(value)
    if (this.unsaved === undefined) this.end = this.position
    return undefined
  }

  private continueFrom({ saved, prices, sampled, at }: JournalStart): void {
    this.start = { saved, prices, sampled, at: Math.max(this.start.at, at) }
  }
}
