/**
 * Records the streams of a client to NDJSON, and replays a recording as a client.
 *
 * @module
 */

import { replayOn } from '../replay/replay.js'
import { nodePlatform } from './read/node-platform.js'
import { recordOn } from './write/record.js'
import { createRecordingFile, createWholeRecording } from './write/recording-file.js'
import { writeRecordingOn } from './write/write-recording.js'

export { journal } from './write/journal.js'
export { resume$ as resume, type ResumeOptions } from '../replay/resume/resume.js'
export type { RecordOptions } from './write/record.js'
export type { LineWriter, Recorder, RecordResult, RecordSummary } from './write/line-recorder.js'
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

/**
 * Records a client as lines of JSON that `replay` reads: the prices of some topics, the depths of some mints, the status
 * of the connection, and uncorrelated errors. Each row is one event, value or error, with its time. Quantities are exact.
 * A recording may be appended to another recording of the same streams. The times are the wall clock of the start plus monotonic
 * time; when the wall clock differs by more than 1 s, the next row begins a new recording with a further header.
 *
 * Each row is one whole line in one `write`, when the event arrives. A crash loses only the data that the writable has
 * buffered. If `to` is a path, each row is written synchronously: a killed process loses no row. A compressed file is written in
 * blocks of 2 s or 64 kB of text: a killed process loses at most those 2 s. If the disk may be slow, pass a stream.
 *
 * Recording starts immediately. It ends on `stop`, when the client closes, when all recorded streams have completed, or
 * when a write fails.
 *
 * Throws a `ConfigurationError` for an invalid value and a misspelt option name. Also throws if there are no topics and
 * no mints, and for a mint if the client has no depth.
 *
 * @function
 * @example
 * const recorder = record(client, { topics: [topic], mints: [mint], to: 'market.ndjson.gz' })
 */
export const record = recordOn(createRecordingFile)

/**
 * Writes a recording of one's own data, such as prices from a database: rows of the form `{ at, topic, price }` and
 * `{ at, mint, price, buy, sell }`, in the order of `at`. Replays, sweeps and histories read it like one of `record`. The
 * `receivedAt` of each value, and the `timestamp` of a depth, are `at`.
 *
 * - `rows`: an iterable, an async iterable or an observable. Iterables are read no faster than the writable accepts lines, so
 *   that memory is bounded.
 * - `to`: the path of a new file, or a writable that receives the lines. A path that ends in `.gz` is compressed. The file
 *   exists only if all rows are valid: until then it has another name, which ends in `.part`.
 * - `tokens`, of `defineTokens`: needed for depths alone, because their decimals give `totalQuantityUsd`.
 *
 * The result is the number of rows, or a `WriteError`. Its `row` is the number of the first invalid row, from 1: earlier than
 * its predecessor, or more than 365 days later; a price that is not finite and above zero; an `at` that is not in ms (before
 * 2000 or after 2099); an invalid topic or mint; a negative quantity; a mint that is not in `tokens`. `row` is undefined
 * if the file cannot be written, or `rows` fails.
 *
 * The header names the topics and mints of the first 10,000 rows. A later one begins a further header.
 *
 * Throws a `ConfigurationError` for an invalid argument and a misspelt option name.
 *
 * @function
 * @example
 * const rows = [{ at: Date.UTC(2026, 0, 2), topic: 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1', price: 2680.5 }] as const
 * const result = await writeRecording(rows, 'market.ndjson')()
 */
export const writeRecording = writeRecordingOn(createWholeRecording)

/**
 * Replays a recording made by `record` as a client. Its streams emit the same values and errors, in the same order, at
 * the same intervals.
 *
 * The replay starts with the first subscription to a price or depth stream, and pauses while there are no subscribers.
 * If a strategy ran by `run$`, the replay ends instead. A late subscriber receives the current event first, as from a
 * live client. At the end of the recording all streams complete, and a topic or mint that is not in it is rejected. If the
 * recording is damaged, each price and depth stream emits a `DecodeError` first.
 *
 * The time of a replay never goes back: a row that is earlier than its predecessor plays at once, and the next rows
 * keep their intervals. A row more than 365 days later than its predecessor is a `RecordingError`. Only the interval from
 * or to a header may be longer: the replay continues without a wait.
 *
 * - `source`: a file by its path or `file:` URL, or an iterable of chunks of text or bytes, such as a Node stream. An array
 *   is a set of sources, in any order. Each source starts with a header. Sources of other topics are merged by time; two of one
 *   topic at the same time are a `RecordingError` that names both. Gzip is recognised by the content.
 * - `from` and `to` limit the rows that are played. Values from before `from` are not played: the streams start without
 *   a value. Of a plain file, only this part is read.
 * - The `interval` of `depth$` has no effect: depths are emitted as recorded.
 * - `receivedAt` is the recorded time.
 * - At a finite speed, clocks and timers of Rx stay real, so that operators such as `freshWithin` see faster data.
 * - With `speed: Infinity`, subscribe through `run$`. Timers that a stream's event causes are always virtual, but timers
 *   that are created on subscription are virtual only inside `run$`.
 * - At the header of each further recording, and when the recorded client was disconnected or closed, each topic emits
 *   `Disconnected`. It then has no current price until the next price. The epochs of a further recording continue the
 *   epochs before it.
 *
 * Throws a `ConfigurationError` for an invalid source, an invalid value and a misspelt option name.
 *
 * @function
 * @example
 * const client = replay('market.ndjson', { speed: 10 })
 * client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1').subscribe(console.log)
 */
export const replay = replayOn(nodePlatform)
