import { bigintAsText } from '../../../base/domain/plain-decimal.js'
import type { PaperEvent } from '../events.js'
import { journalVersion, type JournalStart, type SavedState } from './saved-state.js'

/** The journal of one run: lines of JSON, each an event of the account, or its state after the events before it. */
export interface Journal {
  readonly start: JournalStart
  /** Appends whole lines in one write. Throws if that fails; then nothing is appended. */
  readonly write: (lines: string) => void
  readonly close: () => void
}

/** Throws if the journal cannot be read, is used by another process, or is no journal. */
export type OpenJournal = (path: string) => Journal

/** The lines of some events, and of the state after them if it has changed. */
export const journalLines = (events: readonly PaperEvent[], state: SavedState | undefined): string =>
  [...events, ...(state === undefined ? [] : [state])]
    .map((each) => `${JSON.stringify(each, bigintAsText)}\n`)
    .join('')

/** The tag of the first line of each run. */
export const startTag = 'Start'

/** The first line of a run. `at`: when it began, in ms since the Unix epoch. */
export interface StartLine {
  readonly _tag: typeof startTag
  readonly at: number
}

export const startLine = (at: number): string =>
  `{"_tag":"${startTag}","version":${journalVersion},"at":${Math.floor(at)}}\n`

/** The start of a line of a state. */
export const stateMark = '{"_tag":"State"'

export const emptyStart: JournalStart = { saved: undefined, prices: {}, sampled: undefined, at: 0 }

/** The tags of events that change the state of the account. */
export const changes: ReadonlySet<unknown> = new Set(['Filled', 'Rejected', 'Cancelled', 'Liquidated'])

/** The tags of events that an account has emitted. */
export const eventTags: ReadonlySet<unknown> = new Set([...changes, 'Equity', 'Account'])

/** The lines of a recording have tags too. */
export const journalTags: ReadonlySet<unknown> = new Set([...eventTags, 'WriteError', startTag, 'State'])
