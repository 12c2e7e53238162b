/** `bad`: something is no longer current. `good`: it is current again. */
export type LogTone = 'good' | 'bad' | 'neutral'

export interface LogText {
  readonly tone: LogTone
  readonly text: string
}

/** A line of the event log. */
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
  const [newest, ...older] = log
  if (newest?.text === entry.text && at - newest.at <= mergeWithin) {
    const isKnown = symbol === undefined || newest.symbols.includes(symbol)
    return isKnown ? log : [{ ...newest, symbols: [...newest.symbols, symbol] }, ...older]
  }
  const symbols = symbol === undefined ? [] : [symbol]
  return [{ ...entry, id: (newest?.id ?? 0) + 1, at, symbols }, ...log].slice(0, maxEntries)
}
