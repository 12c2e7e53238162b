import { maxTime } from './times.js'

/** The part of a recording that is replayed, by the `at` of its rows, in ms since the Unix epoch. */
export interface TimeRange {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export const allTimes: TimeRange = { from: -Infinity, to: Infinity }

export const isWithin = ({ from, to }: TimeRange, at: number): boolean => at >= from && at < to

/** A row as `record` writes it: its `at` follows its tag. */
const writtenRow = /^\{"_tag":"(?!Recording)[A-Z][a-z]+","at":(-?\d+(?:\.\d+)?),/

/** The `at` of a line that `record` wrote as a row, without the cost of decoding it; undefined for any other line. */
export const writtenTime = (line: string): number | undefined => {
  const digits = writtenRow.exec(line)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A time of the replay, in ms since the Unix epoch. */
export interface ReplayTime {
  readonly time: number
  /** The part of the interval from the previous line that passes at once, in ms. */
  readonly skipped: number
}

/** In ms: 365 days. A longer interval between two rows means that a time is wrong. */
export const maxDistance = 365 * 24 * 3_600_000

/**
 * Converts the recorded times of the lines, in order, to times of the replay, which never go back. Both are in ms since the
 * Unix epoch.
 *
 * A line that is earlier than its predecessor has the same time of the replay. The interval of any other line counts
 * from its predecessor, or from the latest line so far if that is closer. For example, lines at 1000, 5000 (wrong),
 * 2000 and 2100 ms play at 1000, 5000, 5000 and 5100 ms: one wrong time does not affect the intervals of the next
 * lines.
 *
 * The replay of a part starts at `from`: an earlier header has this time. A header after the part takes no time.
 */
export class Timeline {
  private previous = -Infinity
  private latest = -Infinity
  private time: number | undefined
  private isAfterHeader = false

  constructor(private readonly range: TimeRange = allTimes) {}

  /** Undefined for a row more than 365 days after its predecessor. From or to a header, whose time may be unknown, such an interval is skipped. */
  next(recordedAt: number, isHeader: boolean): ReplayTime | undefined {
    const at = isHeader ? this.headerTime(recordedAt) : recordedAt
    const reference = at >= this.latest ? this.latest : this.previous
    const before = this.time ?? at
    const isTooLate = this.time !== undefined && at - reference > maxDistance
    if (isTooLate && !isHeader && !this.isAfterHeader) return undefined
    this.time = this.time === undefined ? at : timeAfter(this.time, at, reference)
    this.previous = at
    this.latest = Math.max(this.latest, at)
    this.isAfterHeader = isHeader
    return { time: this.time, skipped: isTooLate ? this.time - before : 0 }
  }

  private headerTime(at: number): number {
    const { from, to } = this.range
    if (at < to) return Math.max(at, from)
    return this.time === undefined ? to : this.previous
  }
}

/** Equal to `at`, without a rounding error, as long as no line was earlier than its predecessor. */
const timeAfter = (time: number, at: number, reference: number): number =>
  at <= reference ? time : Math.min(maxTime, Math.max(time, at + (time - reference)))
