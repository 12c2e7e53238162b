/** The part of a recording that is replayed, by the `at` of its rows, in ms since the Unix epoch. */
export interface TimeRange {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** The latest time of a `Date`, and without its sign the earliest, in ms since the Unix epoch. */
export const maxTime = 8.64e15

export const allTimes: TimeRange = { from: -Infinity, to: Infinity }

export const isWithin = ({ from, to }: TimeRange, at: number): boolean => at >= from && at < to

/** A row as `record` writes it: its `at` follows its tag. */
const writtenRow = /^\{"_tag":"(?!Recording)[A-Z][a-z]+","at":(-?\d+(?:\.\d+)?),/

/** The `at` of a line that `record` wrote as a row, without the cost of decoding it; undefined for any other line. */
export const writtenTime = (line: string): number | undefined => {
  const digits = writtenRow.exec(line)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
