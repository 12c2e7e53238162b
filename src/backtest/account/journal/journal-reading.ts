import { isLeft } from 'fp-ts/lib/Either.js'
import type { DecodeError } from '../../../base/errors/model.js'
import type { PaperEvent } from '../events.js'
import { decodeJournalLine } from './journal-codec.js'
import { changes, emptyStart, eventTags, type JournalStart } from './journal.js'

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
