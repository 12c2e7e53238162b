import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Address, Topic } from '../../../base/domain/topic.js'
import type { Depth } from '../../../base/domain/depth.js'
import type { PricePosition } from '../../../base/domain/past.js'
import type { Price } from '../../../base/domain/price.js'
import type { ConnectionStatus } from '../../../base/domain/snapshot.js'
import type { DepthError, PriceError, UncorrelatedError } from '../../../base/errors/model.js'

/** One line of a recording: an event of the recorded client. `at`: when the client emitted it, in ms since the Unix epoch. */
export type Row = PriceRow | DepthRow | EndRow | StatusRow | UncorrelatedRow

/** An event of `price$`. */
export interface PriceRow {
  readonly _tag: 'Price'
  readonly at: number
  /** In the spelling of the caller of `record`. */
  readonly topic: Topic
  readonly event: Either<PriceError, Price>
  /** Of the price in the recorded client. Replays do not use it. Absent for errors, and in rows of earlier versions. */
  readonly position?: PricePosition
}

/** An event of `depth$`. */
export interface DepthRow {
  readonly _tag: 'Depth'
  readonly at: number
  /** In the spelling of the caller of `record`. */
  readonly mint: Address
  readonly event: Either<DepthError, Depth>
}

/** The completion of one price or depth stream. */
export interface EndRow {
  readonly _tag: 'End'
  readonly at: number
  /** The topic or the mint of the stream. */
  readonly of: Topic | Address
}

/** An event of `status$`. */
export interface StatusRow {
  readonly _tag: 'Status'
  readonly at: number
  readonly status: ConnectionStatus
}

/** An event of `errors$`. */
export interface UncorrelatedRow {
  readonly _tag: 'Uncorrelated'
  readonly at: number
  readonly error: UncorrelatedError
}

/** The first line: the version of the format, and the streams that are recorded. */
export interface RecordingHeader {
  readonly _tag: 'Recording'
  readonly version: 1
  /** Start of the recording, in ms since the Unix epoch. May be 0 if it is unknown. */
  readonly at: number
  readonly topics: readonly Topic[]
  readonly mints: readonly Address[]
  /** Interval of the depth polls, in ms. */
  readonly interval: number
  /** The `at` of the previous header, if the same recorder continues in a new file. No event is missing between the two files. */
  readonly continues?: number
  /**
   * The quantity in tokens of both sides of each depth, as decimal text, if no data have it: it is an assumption. Absent for
   * depths of data. Of several recordings: their quantities, with ` or ` between them.
   */
  readonly assumedDepth?: string
  /** The number of rows that `import` left out, because they were invalid. Of several recordings: the sum. Absent for none. */
  readonly invalidRows?: number
  /** The length of the candles whose opens and closes are the prices, for the user. Absent for other data. Of several recordings: all lengths. */
  readonly candles?: string
}

export const createHeader = (
  at: number,
  topics: readonly Topic[] = [],
  mints: readonly Address[] = [],
  interval = 1000,
): RecordingHeader => ({ _tag: 'Recording', version: 1, at, topics, mints, interval })

/** Removes duplicates, ignoring case. Keeps the first spelling. */
export const distinctNames = <Name extends string>(names: readonly Name[]): readonly Name[] =>
  [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed()

/** In ms. The clocks that give `at` and `receivedAt` are those of one machine. */
const maxSkew = 60_000

/** True if the `at` and the `receivedAt` of a value differ by more than a minute: one of them is wrong. */
export const isSkewed = (row: Row): boolean => {
  if (row._tag !== 'Price' && row._tag !== 'Depth') return false
  const event: Either<unknown, Price | Depth> = row.event
  return isRight(event) && Math.abs(row.at - event.right.receivedAt) > maxSkew
}
