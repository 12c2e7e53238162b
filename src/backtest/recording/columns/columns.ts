import type { DepthRow, PriceRow, RecordingHeader, Row } from '../format/row.js'
import type { TimeRange } from '../format/timeline.js'
import type { ChunkReader } from './chunk.js'

/**
 * The decoded lines of a recording, which take a fraction of the time to read. They are used only while the recording is the file
 * that they were written from, and each part has a checksum: a reader in doubt reads the recording.
 */
export interface Columns {
  /** `undefined` if there are none, or they are not those of the recording as it is now. Never rejects. */
  readonly read: () => Promise<ColumnsReading | undefined>
  /** `undefined` if the recording is short or may still be written to, or no file can be created. Never rejects. */
  readonly write: () => Promise<ColumnsWriting | undefined>
}

export interface ColumnsReading {
  /** The chunks that a replay of the range needs. Rejects at a damaged one. */
  readonly chunks: (range: TimeRange) => AsyncIterable<ChunkReader>
  /** True if the recording is still the file that the columns were written from. */
  readonly isCurrent: () => Promise<boolean>
}

/** Takes all lines of a recording, in order. Writing that fails, on a full disk for example, leaves no file. */
export interface ColumnsWriting {
  /** `row`: of a line in the layout of `record`. `line`: decoded; `undefined` if it is empty. `start`, `end`: its place. */
  readonly add: (
    row: PriceRow | DepthRow | undefined,
    line: Row | RecordingHeader | undefined,
    bytes: Uint8Array,
    start: number,
    end: number,
  ) => void
  /** Keeps the columns if the recording has not changed since `write`. */
  readonly finish: () => Promise<void>
  /** Removes what was written. Does nothing after `finish`. */
  readonly discard: () => void
}
