import type { UncorrelatedError } from '../errors/model.js'
import type { Connection } from './connection.js'
import type { TokenState } from './token-state.js'

/** `bad`: something is no longer current. `good`: it is current again. */
export type LogTone = 'good' | 'bad' | 'neutral'

export interface LogText {
  readonly tone: LogTone
  readonly text: string
  /** True for an event of a token that affects all of them, such as a lost connection: the entry names no token. */
  readonly affectsAll?: true
}

/** The words of the log: the text of each event that is worth an entry. */
export interface LogTexts {
  readonly connection: (before: Connection, after: Connection, at: number) => LogText | undefined
  readonly price: (before: TokenState, after: TokenState) => LogText | undefined
  readonly depth: (before: TokenState, after: TokenState) => LogText | undefined
  readonly uncorrelated: (error: UncorrelatedError) => LogText
}

export interface LogEntry extends LogText {
  /** Number of the entry, from 1: its identity. */
  readonly id: number
  /** In ms since the Unix epoch. */
  readonly at: number
  /** The tokens that it is about; empty if it is about the connection. */
  readonly symbols: readonly string[]
}

const maxEntries = 100

/** Events of several tokens with one text are one entry if they follow each other within this time, in ms. */
const mergeWithin = 2000

/** Adds an entry in front, or the symbol to the newest entry if that has the same text. Without a text, returns the log. */
export const appended = (
  log: readonly LogEntry[],
  at: number,
  entry: LogText | undefined,
  symbol?: string,
): readonly LogEntry[] => {
  if (entry === undefined) return log
  const symbols = symbol === undefined || entry.affectsAll === true ? [] : [symbol]
  const [newest, ...older] = log
  if (newest?.text === entry.text && at - newest.at <= mergeWithin) {
    const added = symbols.filter((each) => !newest.symbols.includes(each))
    return added.length === 0 ? log : [{ ...newest, symbols: [...newest.symbols, ...added] }, ...older]
  }
  return [{ ...entry, id: (newest?.id ?? 0) + 1, at, symbols }, ...log].slice(0, maxEntries)
}

const maxSymbols = 4

/** The tokens of an entry; empty if it is about the connection. */
export const symbolsText = ({ symbols }: LogEntry): string =>
  symbols.length <= maxSymbols ? symbols.join(', ') : `${symbols.length} tokens`
