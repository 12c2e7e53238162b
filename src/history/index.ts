/**
 * The prices of the past: of recordings, or of a gateway that records.
 *
 * @module
 */

import { nodePlatform } from '../recording/on-node.js'
import { openHistoryOn } from './open-history.js'

export { pastTimeout, withPast, type PastStream } from '../operators/with-past.js'
export type { CoveredTopic, History, HistoryRange } from '../client/history.js'
export type { CaughtUp, Gap, GapCause, PastEvent, PastPrice } from '../domain/past.js'
export type { HistoryError, InvalidRange, UnknownTopic } from '../errors/model.js'
export type { FileUrl, RecordingPart } from '../recording/read/source.js'

/**
 * Opens the prices of the past: of a gateway with a history, or in recordings of the same topics, made by `record`. Nothing
 * is read until a stream is subscribed to; each subscription reads again.
 *
 * - `source`: the URL of a gateway, or a list of recordings: files by their path or `file:` URL, or iterables of text or bytes
 *   that start anew each time. The order does not matter: they are sorted by their starts.
 * - A gateway without a history, or one whose history fails, is an `HttpError`. A response that is cut off is a
 *   `NetworkError`, after the events before the cut. After 60 s without data the request ends with a `Timeout`.
 * - Only files of the range are read. The name of a rotated file, or its header, excludes it. A plain file is entered by
 *   binary search; a compressed file is read from its start.
 * - A damaged line is a `RecordingError`, which names the source and the line, if it is in the range. A last line that is cut
 *   off, as by a crash, is none: a gap starts there.
 * - Where several recordings cover a time, the rows of the first one count.
 * - If the recorder's clock was set back, the rows until it reaches its former time have that time. A range that starts after a
 *   step back of more than a minute in a plain file may lack rows.
 *
 * Throws a `ConfigurationError` for an invalid source.
 *
 * @function
 * @example
 * import { openHistory } from 'svc-streams/history'
 * const history = openHistory(['market.2026-11-22T10-00-00Z.ndjson.gz', 'market.2026-11-22T11-00-00Z.ndjson'])
 * const past$ = history.prices$('svc-0x82af', { from: Date.now() - 20 * 60_000 })
 */
export const openHistory = openHistoryOn(nodePlatform)
