/**
 * The prices of the past: of recordings, or of a gateway that records.
 *
 * @module
 */

export { openHistory } from './on-node.js'
export { pastTimeout, withPast, type PastStream } from '../operators/with-past.js'
export type { CoveredTopic, History, HistoryRange } from '../client/history.js'
export type { CaughtUp, Gap, GapCause, PastEvent, PastPrice } from '../domain/past.js'
export type { HistoryError, InvalidRange, UnknownTopic } from '../errors/model.js'
export type { FileUrl, RecordingPart } from '../recording/read/source.js'
