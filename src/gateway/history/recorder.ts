import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRight } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { Topic } from '../../base/domain/topic.js'
import { writeError } from '../../backtest/recording/codec/errors.js'
import type { WriteError } from '../../base/errors/model.js'
import { encodeLine } from '../../backtest/recording/codec/row-codec.js'
import { createHeader, type RecordingHeader, type Row } from '../../backtest/recording/codec/row.js'
import type { FileLock } from '../../backtest/recording/files/file-lock.js'
import { createFile, reopenFile } from '../../backtest/recording/files/appended-file.js'
import { priceRow$, RowTimes } from '../../backtest/recording/write/client-rows.js'
import type { RecordingFile } from '../../backtest/recording/write/recording-file.js'
import { createRotatingFile, type RotatingFile } from '../../backtest/recording/write/rotating-file.js'
import type { GatewayHistorySnapshot } from '../gateway.js'
import type { GatewaySetup, HistorySetup } from '../options.js'
import { filePeriod, type FolderIndex, type HistoryFile } from './folder-index.js'

/** Time after a failure in which no row is written, in ms. */
const retryAfter = 10_000

/** Interval at which the folder is checked, in ms. */
export const checkInterval = 10_000

/** The number of the largest files that a history has. */
const largestFiles = 64

export interface RecorderConfig extends HistorySetup, Pick<GatewaySetup, 'clock' | 'report'> {
  readonly client: PriceClient
}

/**
 * Each topic has files of its own, so that a reader of one topic does not read others. Each row is written synchronously: a killed
 * process loses no row. A topic has no file before its first price: a consumer may request any topic.
 */
export class Recorder {
  private readonly topics = new Map<Topic, RecordedTopic>()
  /** Why the rows of a topic, or of all topics, cannot be written. */
  private readonly failures = new Map<RecordedTopic | Recorder, WriteError>()
  /** When the first of the failures began, in ms since the Unix epoch. */
  private failingSince = 0
  /** Of the rows of all topics. */
  readonly times = new RowTimes(() => {
    for (const recorded of this.topics.values()) recorded.beginRecording()
  })
  private rows = 0
  private bytes = 0
  /** The checks, and the recordings of the `topics`. */
  private readonly work = new Subscription()

  constructor(
    readonly config: RecorderConfig,
    readonly index: FolderIndex,
    private readonly lock: FileLock,
  ) {
    this.check()
    this.work.add(config.clock.startInterval(() => this.check(), checkInterval))
    for (const topic of config.topics) this.work.add(this.record(topic))
  }

  /** Records a topic, in the spelling of the file names, until each of its subscriptions has ended. */
  readonly record = (topic: Topic): Subscription => {
    const recorded = this.topics.get(topic) ?? new RecordedTopic(topic, this)
    this.topics.set(topic, recorded)
    return recorded.want()
  }

  find(topic: Topic): RecordedTopic | undefined {
    return this.topics.get(topic)
  }

  /** Why the rows of a topic are not written now. Without a topic: why no rows are written. */
  failureOf(topic?: Topic): WriteError | undefined {
    this.checkFolder()
    const recorded = topic && this.topics.get(topic)
    return this.failures.get(this) ?? (recorded && this.failures.get(recorded))
  }

  /** The amount written since the start, and the newest failure. */
  snapshot(): GatewayHistorySnapshot {
    const { rows, bytes, failingSince: since, config } = this
    const error = [...this.failures.values()].at(-1)
    const failure = error && { message: error.message, code: error.cause.code, since }
    return { folder: config.folder, rows, bytes, failure }
  }

  /** Ends the recordings of the `topics`, and unlocks the folder. Idempotent. */
  close(): void {
    this.work.unsubscribe()
    this.lock.release()
  }

  /** True while the folder cannot be used. */
  get isLost(): boolean {
    return this.failures.has(this)
  }

  onRow(bytes: number): void {
    this.rows++
    this.bytes += bytes
    if (this.index.isLargerThan(this.config.maxBytes)) this.deleteOld()
  }

  /** `part`: a topic, or the recorder for all of them. */
  setFailure(part: RecordedTopic | Recorder, error: WriteError | undefined): void {
    const { failures, config } = this
    const hadFailures = failures.size > 0
    if (error === undefined) failures.delete(part)
    else failures.set(part, error)
    if (hadFailures === failures.size > 0) return
    this.failingSince = config.clock.wallClock()
    config.report('svc-streams:gateway-history', { error })
  }

  /** Also forgets the topics that are no longer wanted, and requests those again that the service has rejected. */
  private check(): void {
    this.checkFolder()
    for (const [topic, recorded] of this.topics) {
      if (!recorded.isWanted) {
        this.topics.delete(topic)
        this.setFailure(recorded, undefined)
      } else recorded.request()
    }
    if (!this.isLost) this.deleteOld()
  }

  private checkFolder(): void {
    try {
      this.lock.check()
      this.setFailure(this, undefined)
    } catch (thrown) {
      for (const recorded of this.topics.values()) recorded.close()
      this.setFailure(this, writeError(thrown))
    }
  }

  private deleteOld(): void {
    const { config, topics, index } = this
    void index.deleteOld(config, (file) => topics.get(file.topic)?.onDelete(file))
  }
}

/** The rows of one topic while it is wanted, and its `End` afterwards. */
class RecordedTopic {
  private wanted = 0
  /** Closed while the topic is not wanted, and when its stream has completed, for example by a rejection. */
  private rows = Subscription.EMPTY
  private files: RotatingFile | undefined
  /** The file that rows are appended to. */
  private file: HistoryFile | undefined
  /** The header of the current recording, until its end is written. */
  private header: RecordingHeader | undefined
  /** When rows are written again: monotonic, in ms. */
  private retryAt = -Infinity

  constructor(
    private readonly topic: Topic,
    private readonly recorder: Recorder,
  ) {}

  /** True if the last row is the current state of the topic. */
  get isRecording(): boolean {
    return this.header !== undefined
  }

  /** True if a consumer wants the topic, or `topics` has it. */
  get isWanted(): boolean {
    return this.wanted > 0
  }

  /** The topic is wanted until the subscription ends. */
  want(): Subscription {
    this.wanted++
    this.request()
    return new Subscription(() => this.unwant())
  }

  /** Requests the topic, unless its stream runs. */
  request(): void {
    if (!this.rows.closed) return
    const { config, times } = this.recorder
    this.rows = priceRow$(config.client, this.topic, times).subscribe((row) => this.write(row))
  }

  onDelete(file: HistoryFile): void {
    if (this.file === file) this.close()
  }

  /** The next price begins another file. */
  close(): void {
    this.files = this.file = this.header = undefined
  }

  /** The clock has been set: the next price begins a new recording. */
  beginRecording(): void {
    this.header = undefined
  }

  private unwant(): void {
    if (--this.wanted > 0 || this.rows.closed) return
    this.rows.unsubscribe()
    this.write({ _tag: 'End', at: this.recorder.times.now(), of: this.topic })
  }

  private write(row: Row): void {
    const { recorder } = this
    const isPrice = row._tag === 'Price' && isRight(row.event)
    const isWaiting = recorder.isLost || recorder.config.clock.elapsed() < this.retryAt
    if (!this.isRecording && (!isPrice || isWaiting)) return
    try {
      this.appendOrRestart(row, isPrice)
      recorder.setFailure(this, undefined)
    } catch (thrown) {
      this.fail(thrown)
    }
  }

  /** If somebody has removed the file, a price begins another one. Throws if the row cannot be written. */
  private appendOrRestart(row: Row, isPrice: boolean): void {
    try {
      this.append(row)
    } catch (thrown) {
      if (this.file === undefined || (thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
      this.close()
      if (isPrice) this.append(row)
    }
  }

  private append(row: Row): void {
    const files = (this.files ??= this.createFiles(row.at))
    if (this.header === undefined) this.appendLine(files, (this.header = createHeader(row.at, [this.topic])))
    this.recorder.onRow(this.appendLine(files, row))
    if (row._tag === 'End') this.header = undefined
  }

  /** Returns the size of the line, in bytes. Throws if it cannot be written. */
  private appendLine(files: RotatingFile, row: Row | RecordingHeader): number {
    const line = encodeLine(row)
    files.write(line, () => undefined)
    return Buffer.byteLength(line)
  }

  private createFiles(startAt: number): RotatingFile {
    const { folder, clock, maxBytes } = this.recorder.config
    return createRotatingFile(join(folder, `${this.topic}.ndjson`), {
      period: filePeriod,
      isGzip: false,
      startAt,
      elapsed: clock.elapsed,
      maxFileBytes: maxBytes / largestFiles,
      create: (path) => this.createFile(path),
    })
  }

  /** A file that is open only while a line is written: consumers choose how many topics have one. Throws if it exists. */
  private createFile(path: string): RecordingFile {
    createFile(path).close()
    const { index } = this.recorder
    const file = index.add(path)
    this.file = file
    return {
      get bytes() {
        return file.bytes
      },
      write: (line, done) => {
        const opened = reopenFile(path, file.bytes)
        try {
          opened.append(Buffer.from(line))
          index.grow(file, opened.size - file.bytes)
        } finally {
          opened.close()
        }
        done()
      },
      close: () => undefined,
    }
  }

  /** The file may end in a part of a row, so no row is appended to it. A file without a header is no recording. */
  private fail(thrown: unknown): void {
    const { file, recorder } = this
    this.close()
    this.retryAt = recorder.config.clock.elapsed() + retryAfter
    try {
      if (file?.bytes === 0) rmSync(recorder.index.pathOf(file), { force: true })
    } catch {
      // The next start tries it again.
    }
    recorder.setFailure(this, writeError(thrown))
  }
}
