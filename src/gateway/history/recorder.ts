import { closeSync, openSync, readSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { Price } from '../../domain/price.js'
import type { Topic } from '../../domain/topic.js'
import { writeError } from '../../errors/constructors.js'
import type { PriceError, WriteError } from '../../errors/model.js'
import { encodeRow } from '../../recording/format/row-codec.js'
import { topicHeader, type RecordingHeader, type Row } from '../../recording/format/row.js'
import { lineEnd } from '../../recording/read/read-entries.js'
import { WantedRows } from '../../recording/record/client-rows.js'
import { createRotatingFile, type RotatingFile } from '../../recording/record/rotating-file.js'
import type { Clock } from '../../time/clock.js'
import type { GatewayHistoryFailure, GatewayHistorySnapshot } from '../gateway.js'
import { Failures } from './failures.js'

/** Time between the starts of two files of a topic, in ms. */
export const filePeriod = 3_600_000

/** Time after a failure in which no row is written, in ms. */
export const retryAfter = 10_000

export interface RecorderConfig {
  readonly folder: string
  readonly client: PriceClient
  readonly clock: Clock
  /** Called when rows can no longer be written, and with `undefined` when all topics are written again. */
  readonly onFailure: (error: WriteError | undefined) => void
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
      isLost: () => this.failures.of(this) !== undefined,
      onFailure: (error) => this.failures.set(recorded, error),
      onWritten: (bytes) => {
        this.rows++
        this.bytes += bytes
      },
    })
    this.topics.set(topic, recorded)
    return recorded
  }
}

interface RecordedTopicConfig extends RecorderConfig {
  readonly isLost: () => boolean
  /** Called with the size of each row that has been written, in bytes. */
  readonly onWritten: (bytes: number) => void
}

class RecordedTopic {
  private readonly rows: WantedRows
  private file: RotatingFile | undefined
  /** True if the header of the current recording is written, and its end is not. */
  isRecording = false
  /** When rows are written again: monotonic, in ms. */
  private retryAt = -Infinity
  private rejected: GatewayHistoryFailure | undefined

  constructor(
    private readonly topic: Topic,
    private readonly config: RecordedTopicConfig,
  ) {
    this.rows = new WantedRows(config.client, topic, (row) => this.write(row))
  }

  get isWanted(): boolean {
    return this.rows.isWanted
  }

  /** Why the service rejects the topic; `undefined` if it does not, or if nobody wants the topic. */
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
    const { file } = this
    this.file = undefined
    this.isRecording = false
    try {
      file?.close()
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

  /** A rejection that is repeated keeps its time. */
  private rejectionOf(event: Either<PriceError, Price>): GatewayHistoryFailure | undefined {
    if (isRight(event) || event.left._tag !== 'SubscriptionRejected') return undefined
    const { _tag: code, message } = event.left
    return { message, code, since: this.rejected?.since ?? this.config.clock.wallClock() }
  }

  /** Throws if the row cannot be written. */
  private append(row: Row): void {
    const { folder, onWritten } = this.config
    const path = join(folder, `${this.topic}.ndjson`)
    this.file ??= createRotatingFile(path, { period: filePeriod, isGzip: false, startAt: row.at })
    if (!this.isRecording) appendLine(this.file, topicHeader(this.topic, row.at))
    this.isRecording = true
    onWritten(appendLine(this.file, row))
    if (row._tag === 'End') this.isRecording = false
  }

  /** The file may end in a part of a row, so no row is appended to it. */
  private fail(thrown: unknown): void {
    const path = this.file?.path
    this.close()
    if (path !== undefined) removeWithoutHeader(path)
    this.retryAt = this.config.clock.elapsed() + retryAfter
    this.config.onFailure(writeError(thrown))
  }
}

/** Returns the size of the line, in bytes. Throws if it cannot be written. */
const appendLine = (file: RotatingFile, row: Row | RecordingHeader): number => {
  const line = `${encodeRow(row)}\n`
  file.write(line, (error) => {
    if (error !== undefined && error !== null) throw error
  })
  return Buffer.byteLength(line)
}

/** Removes a file that is not a recording, because its first line is not complete. */
export const removeWithoutHeader = (path: string): void => {
  try {
    if (statSync(path).isFile() && !hasHeader(path)) unlinkSync(path)
  } catch {
    // It cannot be read or removed now.
  }
}

/** Longer than a header of one topic. */
const headerBytes = 4096

/** True if the first line of a file is complete. Throws if the file cannot be read. */
const hasHeader = (path: string): boolean => {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(headerBytes)
    return bytes.subarray(0, readSync(file, bytes, 0, headerBytes, 0)).includes(lineEnd)
  } finally {
    closeSync(file)
  }
}
