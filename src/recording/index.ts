/**
 * Writes down what a client gives, and plays it back as a client.
 *
 * @module
 */

export { record, type RecordOptions } from './record.js'
export { type LineWriter, type Recorder, type RecordResult, type RecordSummary } from './recorder.js'
export { replay, type ReplayClient, type ReplayOptions } from './replay.js'
export { type HeaderResult, type ReplayResult, type ReplaySummary } from './playback.js'
export { type FileUrl, type RecordingSource } from './lines.js'
export {
  type DepthRow,
  type EndRow,
  type PriceRow,
  type RecordingHeader,
  type Row,
  type StatusRow,
  type UncorrelatedRow,
} from '../codec/row.js'
export type { RecordingError, WriteError } from '../errors/model.js'
