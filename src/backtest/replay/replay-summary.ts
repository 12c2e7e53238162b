import { isSkewed, type Row } from '../recording/codec/row.js'

/** The summary of a finished replay. */
export interface ReplaySummary {
  /** Number of rows that were emitted, without headers. */
  readonly rows: number
  /** Number of these rows that are earlier than their predecessor: a clock was set back, or rows were appended. */
  readonly earlierRows: number
  /** Number of these rows whose `at` and `receivedAt` differ by more than a minute. */
  readonly skewedRows: number
}

/** Counts the rows of a replay. */
export class RowCount {
  rows = 0
  private earlierRows = 0
  private skewedRows = 0
  /** The time of the last row, in ms since the Unix epoch. */
  private lastAt = -Infinity

  /** Counts a row that is emitted. */
  add(row: Row): void {
    this.rows++
    if (row.at < this.lastAt) this.earlierRows++
    this.lastAt = row.at
    if (isSkewed(row)) this.skewedRows++
  }

  get summary(): ReplaySummary {
    const { rows, earlierRows, skewedRows } = this
    return { rows, earlierRows, skewedRows }
  }
}
