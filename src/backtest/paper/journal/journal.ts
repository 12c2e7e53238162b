import { bigintAsText } from '../../../base/domain/plain-decimal.js'
import type { Equity, PaperEvent } from '../events.js'
import { isSavedState, type JournalStart, type SavedState } from './saved-state.js'

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
export const startLine = (at: number): string => `{"_tag":"${startTag}","at":${Math.floor(at)}}\n`

/** The start of a line of a state. */
export const stateMark = '{"_tag":"State"'

/**
 * The start of a run from the last lines of a journal: the last state, if there is one, and what follows. `kept` is the
 * number of these lines to keep: events that change the account, but whose state is missing, were not written wholly.
 * Throws for a line that is not one of a journal.
 */
export const startFrom = (lines: readonly string[]): JournalStart & { readonly kept: number } => {
  let start = emptyStart
  for (const [index, line] of lines.entries()) {
    const value = lineOf(line)
    if (isSavedState(value)) {
      const { prices, sampled } = value
      start = { saved: value, prices, sampled, at: Math.max(start.at, value.at) }
    } else if (isEquity(value)) {
      const { at, prices, isCurrent } = value
      start = { ...start, prices, sampled: { at, isCurrent }, at: Math.max(start.at, at) }
    } else if (changes.has(value._tag) && !lines.slice(index).some((each) => each.startsWith(stateMark)))
      return { ...start, kept: index }
  }
  return { ...start, kept: lines.length }
}

export const emptyStart: JournalStart = { saved: undefined, prices: {}, sampled: undefined, at: 0 }

/** The tags of events that change the state of the account. */
export const changes: ReadonlySet<unknown> = new Set(['Filled', 'Rejected', 'Cancelled', 'Liquidated'])

/** The tags of events that an account has emitted. */
export const eventTags: ReadonlySet<unknown> = new Set([...changes, 'Equity', 'Account'])

/** The lines of a recording have tags too. */
export const journalTags: ReadonlySet<unknown> = new Set([...eventTags, 'WriteError', startTag, 'State'])

export interface JournalLine {
  readonly _tag: unknown
}

const isEquity = (line: JournalLine): line is Equity => line._tag === 'Equity'

/** Throws for a line that is not one of a journal. */
export const lineOf = (line: string): JournalLine => {
  try {
    const reviver = line.startsWith(equityMark) ? undefined : withQuantities
    const value = JSON.parse(line, reviver) as JournalLine | null
    if (value !== null && journalTags.has(value._tag)) return value
  } catch {
    // Reported below.
  }
  throw new Error(`expected a line of a journal, got ${JSON.stringify(line.slice(0, 80))}`)
}

/** Most lines of a journal. They have no quantity. */
const equityMark = '{"_tag":"Equity"'

/** A reviver: the quantities of events, orders and states, which JSON has as text. */
const withQuantities = (name: string, value: unknown): unknown =>
  quantities.has(name) && typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value

const quantities: ReadonlySet<string> = new Set(['quantity', 'remaining', 'units', 'buy', 'sell'])
