/**
 * Records the streams of a client to NDJSON, and replays a recording as a client.
 *
 * @module
 */

export { journal } from './write/journal.js'
export { resume$ as resume, type ResumeOptions } from '../replay/resume/resume.js'
export { record, replay, writeRecording } from './on-node.js'
export type { RecordOptions } from './write/record.js'
export {
  type LineWriter,
  type Recorder,
  type RecordResult,
  type RecordSummary,
} from './write/line-recorder.js'
export type { OwnRowSource, WriteRecordingOptions } from './write/write-recording.js'
export type { OwnDepth, OwnPrice, OwnRow } from './write/own-rows.js'
export type { ReplayClient } from '../replay/replay.js'
export type { StrategyClient } from '../replay/strategy-client.js'
export { type ReplayOptions } from '../replay/replay-options.js'
export { type HeaderResult, type ReplayResult, type ReplaySummary } from '../replay/playback.js'
export { type FileUrl, type RecordingPart, type RecordingSource } from './read/source.js'
export {
  type DepthRow,
  type EndRow,
  type PriceRow,
  type RecordingHeader,
  type Row,
  type StatusRow,
  type UncorrelatedRow,
} from './codec/row.js'
export type { RecordingError, WriteError } from '../../base/errors/model.js'
