import { isLeft } from 'fp-ts/lib/Either.js'
import { changes, journalTags, startTag } from '../../backtest/paper/journal/journal.js'
import { isSavedState } from '../../backtest/paper/journal/saved-state.js'
import { printable } from '../../base/errors/text.js'
import { wholeLines } from '../../backtest/recording/files/line-file.js'
import { attempt } from '../input/read-file.js'

// A journal has the values of a live run, or the events of all runs of an account on paper.

/** A value or an event of a journal. */
export interface Entry {
  /** Number of the line, from 1. */
  readonly line: number
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly value: unknown
}

/** A run that wrote to a journal. The values of a journal count as one run. */
export interface JournalRun {
  /** Number of its first line, from 1. */
  readonly line: number
  /** When it began, and when the next one began, in ms since the Unix epoch. A first run may have begun earlier. */
  readonly from: number
  to: number
  /** The last state of the account before it, and its last value. Empty for a new account. */
  readonly before: readonly string[]
  /** Lines from this one on depend on when the run ended, or were not emitted. */
  endLine: number
}

/** The runs of a journal. */
export const journalRuns = async (path: string): Promise<readonly JournalRun[]> => {
  const newRun = (line: number, from: number, before: readonly string[]): JournalRun => ({
    ...{ line, from, before, to: Infinity, endLine: Infinity },
  })
  let run = newRun(1, -Infinity, [])
  const runs = [run]
  let state: string[] = []
  let previous = ''
  let line = 0
  for await (const text of wholeLines(path)) {
    const value = parsed(text, ++line, path)
    const { _tag } = value
    if (_tag === startTag && line > 1) {
      run.to = value.at
      run = newRun(line, value.at, state)
      runs.push(run)
    }
    if (_tag === 'Account') run.endLine = previous === 'Equity' ? line - 1 : line
    if (changes.has(_tag)) run.endLine = Math.min(run.endLine, line)
    if (isSavedState({ _tag })) {
      run.endLine = Infinity
      state = [text]
    }
    // Later than the state, with later prices.
    if (_tag === 'Equity') state = [...state.slice(0, 1), text]
    previous = String(_tag)
  }
  return runs
}

/** The values or events of a journal, in order. */
export async function* journalEntries(path: string): AsyncGenerator<Entry> {
  let line = 0
  for await (const text of wholeLines(path)) {
    const value = parsed(text, ++line, path)
    if (value._tag === undefined) yield { line, at: value.at, value: value.value }
    else if (value._tag !== startTag && !isSavedState({ _tag: value._tag }))
      yield { line, at: value.at, value }
  }
}

interface JournalValue {
  readonly _tag?: unknown
  readonly at: number
  readonly value?: unknown
}

const parsed = (text: string, line: number, path: string): JournalValue => {
  const value = attempt(() => JSON.parse(text) as Partial<JournalValue> | null)
  if (
    !isLeft(value) &&
    typeof value.right?.at === 'number' &&
    ('value' in value.right || journalTags.has(value.right._tag))
  )
    return value.right as JournalValue
  throw new Error(`${printable(path)}, line ${line}: expected a line like {"at":1795601234567,"value":…}`)
}
