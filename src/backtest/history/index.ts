/**
 * Past prices, from recordings or from a gateway that records.
 *
 * @module
 */

import { dialedFetch } from './dialed-fetch.js'
import { nodePlatform } from '../recording/read/node-platform.js'
import { openHistoryOn } from './open-history.js'

export type { TopicPast } from '../../operators/missing-prices.js'
export {
  withPast,
  type PastStream,
  type RefillOptions,
  type WithPastOptions,
} from '../../operators/with-past.js'
export type { CoveredTopic, History, HistoryRange } from './history.js'
export type { CaughtUp, Gap, GapCause, PastEvent, PastPrice } from '../../base/domain/past.js'
export type { HistoryError, InvalidRange, UnknownTopic } from '../../base/errors/model.js'
export type { FileUrl, RecordingPart } from '../recording/read/source.js'

/**
 * Opens past prices: of a gateway with a history, or of recordings of the same topics by `record`. Reads nothing before
 * a stream is subscribed to. Each subscription reads again.
 *
 * - `source`: the URL of a gateway, or a list of recordings: files by their path or `file:` URL, or iterables of text
 *   or bytes that start anew each time. Their order does not matter: the library sorts them by their starts.
 * - If the gateway has no history, or its history fails, the error is an `HttpError`. If a response is cut off, the
 *   error is a `NetworkError`, after the events before the cut. After 60 s without data, the error is a `Timeout`.
 * - Only files of the range are read. Other files are skipped by their name, if rotated, or by their header. In a plain
 *   file, the times of a few hundred rows show where the range is. A compressed file is read from its start.
 * - A damaged line in the range is a `RecordingError`, which names the source and the line. A last line that is cut
 *   off, for example by a crash, is no error: a gap starts there.
 * - Two recordings of one topic at the same time are a `RecordingError` that names both.
 * - After the recorder's clock was set back, the times of the events go back too.
 *
 * Throws a `ConfigurationError` for an invalid source.
 *
 * @function
 * @example
 * import { openHistory } from 'svc-streams/history'
 * const history = openHistory(['market.2026-11-22T10-00-00Z.ndjson.gz', 'market.2026-11-22T11-00-00Z.ndjson'])
 * const past$ = history.prices$('svc-0x82af', { from: Date.now() - 20 * 60_000 })
 */
export const openHistory = openHistoryOn(nodePlatform, dialedFetch)
