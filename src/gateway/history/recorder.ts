import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { Price } from '../../base/domain/price.js'
import type { Topic } from '../../base/domain/topic.js'
import { writeError } from '../../backtest/recording/codec/errors.js'
import type { PriceError, WriteError } from '../../base/errors/model.js'
import { encodeLine } from '../../backtest/recording/codec/row-codec.js'
import { topicHeader, type RecordingHeader, type Row } from '../../backtest/recording/codec/row.js'
import { RowTimes } from '../../backtest/recording/write/client-rows.js'
import { createRecordingFile, type RecordingFile } from '../../backtest/recording/write/recording-file.js'
import { createRotatingFile, type RotatingFile } from '../../backtest/recording/write/rotating-file.js'
import type { Clock } from '../../base/time/clock.js'
import type { GatewayHistoryFailure, GatewayHistorySnapshot } from '../gateway.js'
import { Failures } from './failures.js'
import { filePeriod, type FolderIndex, type HistoryFile } from './folder-index.js'
import { OpenFiles } from './open-files.js'
import { WantedRows } from './wanted-rows.js'

/** Time after a failure in which no row is written, in ms. */
export const retryAfter = 10_000

/** Number of files that are open for rows. The readings have as many, and a few more. */
export const maxOpenFiles = 24

export interface RecorderConfig {
  readonly folder: string
  readonly client: PriceClient
  readonly clock: Clock
  /** Called when rows can no longer be written, and with `undefined` when all topics are written again. */
  readonly onFailure: (error: WriteError | undefined) => void
  readonly index: Pick<FolderIndex, 'add' | 'grow' | 'pathOf'>
  /** The size at which a file is followed by the next one, in bytes. */
  readonly maxFileBytes: number
  /** Called when a row has been written. */
  readonly onWritten: () => void
}

/**
 * Records topics, each to separate files, so that a reader of one topic does not read other topics. Each row is written
 * synchronously: a killed process loses no row. A topic has no file before its first price: a consumer may request any
 * topic.
 */
export class TopicRecorder {
  private readonly topics = new Map<Topic, RecordedTopic>()
  private readonly failures: Failures
  /** When the first of the failures began, in ms since the Unix epoch. */
  private failingSince = 0
  private readonly times = new RowTimes(() => {
    for (const recorded of this.topics.values()) recorded.beginRecording()
  })
  private readonly files = new OpenFiles(maxOpenFiles)
  private rows = 0
  private bytes = 0

  constructor(private readonly config: RecorderConfig) {
    const { clock, onFailure } = config
    this.failures = new Failures((error) => {
      this.failingSince = clock.wallClock()
      onFailure(error)
    })
  }

  /** Records a topic until each of its subscriptions has ended. */
  record(topic: Topic): Subscription {
    return (this.topics.get(topic) ?? this.create(topic)).want()
  }

  /** True if the last row of the topic is its current state. */
  isRecording(topic: Topic): boolean {
    return this.topics.get(topic)?.isRecording ?? false
  }

  /** The latest time of the rows in a file that rows are appended to, in ms since the Unix epoch; `undefined` for another file. */
  latestIn(file: HistoryFile): number | undefined {
    return this.topics.get(file.topic)?.latestIn(file)
  }

  /** The file is deleted: the next row of its topic begins another one. */
  leave(file: HistoryFile): void {
    const recorded = this.topics.get(file.topic)
    if (recorded?.latestIn(file) !== undefined) recorded.close()
  }

  /** True if a consumer wants the topic, or `topics` has it. */
  isWanted(topic: Topic): boolean {
    return this.topics.get(topic)?.isWanted ?? false
  }

  /** Why the rows of a topic are not written. Without a topic: why no rows are written. */
  failureOf(topic?: Topic): WriteError | undefined {
    const recorded = topic === undefined ? undefined : this.topics.get(topic)
    return this.failures.of(this) ?? this.failures.of(recorded)
  }

  /** The amount written since the start, and the newest failure, or else a wanted topic that is rejected. */
  snapshot(): Omit<GatewayHistorySnapshot, 'folder'> {
    const { rows, bytes, failingSince: since } = this
    const error = this.failures.newest
    const failure = error && { message: error.message, code: error.cause.code, since }
    return { rows, bytes, failure: failure ?? this.firstRejection() }
  }

  /** Requests each wanted topic again that the service has rejected. */
  requestRejected(): void {
    for (const recorded of this.topics.values()) if (recorded.rejection !== undefined) recorded.request()
  }

  /** `thrown`: why the folder cannot be used; `undefined` if it can be used. */
  setFolderFailure(thrown: unknown): void {
    if (thrown !== undefined) for (const recorded of this.topics.values()) recorded.close()
    this.failures.set(this, thrown === undefined ? undefined : writeError(thrown))
  }

  /** Closes the files of the topics without a consumer. */
  closeUnwanted(): void {
    for (const [topic, recorded] of this.topics) {
      if (recorded.isWanted) continue
      recorded.close()
      this.failures.set(recorded, undefined)
      this.topics.delete(topic)
    }
  }

  private firstRejection(): GatewayHistoryFailure | undefined {
    return [...this.topics.values()].find(({ rejection }) => rejection !== undefined)?.rejection
  }

  private create(topic: Topic): RecordedTopic {
    const recorded: RecordedTopic = new RecordedTopic(topic, {
      ...this.config,
      times: this.times,
      createFile: (path) => createRecordingFile(path, false, (each) => this.files.create(each)),
      isLost: () => this.failures.of(this) !== undefined,
      onFailure: (error) => this.failures.set(recorded, error),
      onRow: (bytes) => {
        this.rows++
        this.bytes += bytes
        this.config.onWritten()
      },
    })
    this.topics.set(topic, recorded)
    return recorded
  }
}

interface RecordedTopicConfig extends RecorderConfig {
  /** Of the rows of all topics. */
  readonly times: RowTimes
  readonly createFile: (path: string) => RecordingFile
  readonly isLost: () => boolean
  /** Called with the size of each row that has been written, in bytes. */
  readonly onRow: (bytes: number) => void
}

class RecordedTopic {
  private readonly rows: WantedRows
  private files: RotatingFile | undefined
  /** The file that rows are appended to. */
  private file: HistoryFile | undefined
  /** The header of the current recording, until its end is written. */
  private header: RecordingHeader | undefined
  /** When rows are written again: monotonic, in ms. */
  private retryAt = -Infinity
  /** The latest time of the rows in the file. */
  private latest = -Infinity
  private rejected: GatewayHistoryFailure | undefined

  constructor(
    private readonly topic: Topic,
    private readonly config: RecordedTopicConfig,
  ) {
    this.rows = new WantedRows(config.client, topic, (row) => this.write(row), config.times)
  }

  get isRecording(): boolean {
    return this.header !== undefined
  }

  get isWanted(): boolean {
    return this.rows.isWanted
  }

  latestIn(file: HistoryFile): number | undefined {
    return this.file === file ? this.latest : undefined
  }

  /** Why the service rejects the topic; `undefined` if it does not, or if no consumer wants the topic. */
  get rejection(): GatewayHistoryFailure | undefined {
    return this.isWanted ? this.rejected : undefined
  }

  want(): Subscription {
    return this.rows.want()
  }

  /** Requests the topic again if its stream has completed. */
  request(): void {
    this.rows.start()
  }

  close(): void {
    const { files } = this
    this.files = this.file = this.header = undefined
    try {
      files?.close()
    } catch {
      // The disk is missing. Data that are not written are lost.
    }
  }

  private write(row: Row): void {
    const { clock, isLost, onFailure } = this.config
    const isPrice = row._tag === 'Price' && isRight(row.event)
    if (row._tag === 'Price') this.rejected = this.rejectionOf(row.event)
    if (!this.isRecording && (!isPrice || isLost() || clock.elapsed() < this.retryAt)) return
    try {
      this.append(row)
      onFailure(undefined)
    } catch (thrown) {
      this.fail(thrown)
    }
  }

  /** The clock has been set: the next price begins a new recording. */
  beginRecording(): void {
    this.header = undefined
  }

  /** A rejection that is repeated keeps its time. */
  private rejectionOf(event: Either<PriceError, Price>): GatewayHistoryFailure | undefined {
    if (isRight(event) || event.left._tag !== 'SubscriptionRejected') return undefined
    const { _tag: code, message } = event.left
    return { message, code, since: this.rejected?.since ?? this.config.clock.wallClock() }
  }

  /** Throws if the row cannot be written. */
  private append(row: Row): void {
    const files = (this.files ??= this.createFiles(row.at))
    if (this.header === undefined) this.appendLine(files, (this.header = topicHeader(this.topic, row.at)))
    this.config.onRow(this.appendLine(files, row))
    this.latest = Math.max(this.latest, row.at)
    if (row._tag === 'End') this.header = undefined
  }

  /** Returns the size of the line, in bytes. Throws if it cannot be written. */
  private appendLine(files: RotatingFile, row: Row | RecordingHeader): number {
    const line = encodeLine(row)
    const { bytes } = files
    files.write(line, (error) => {
      if (error !== undefined && error !== null) throw error
    })
    if (this.file !== undefined) this.config.index.grow(this.file, files.bytes - bytes)
    return Buffer.byteLength(line)
  }

  private createFiles(startAt: number): RotatingFile {
    const { folder, clock, index, maxFileBytes, createFile } = this.config
    return createRotatingFile(join(folder, `${this.topic}.ndjson`), {
      period: filePeriod,
      isGzip: false,
      startAt,
      elapsed: clock.elapsed,
      maxFileBytes,
      create: createFile,
      onFile: (path) => {
        this.latest = -Infinity
        this.file = index.add(path)
      },
    })
  }

  /** The file may end in a part of a row, so no row is appended to it. */
  private fail(thrown: unknown): void {
    const { clock, index, onFailure } = this.config
    const { file } = this
    this.close()
    if (file?.bytes === 0) removeWithoutHeader(index.pathOf(file))
    this.retryAt = clock.elapsed() + retryAfter
    onFailure(writeError(thrown))
  }
}

/** Removes a new file that is not a recording, because its first line is not complete. */
const removeWithoutHeader = (path: string): void => {
  try {
    unlinkSync(path)
  } catch {
    // The next start tries it again.
  }
}
