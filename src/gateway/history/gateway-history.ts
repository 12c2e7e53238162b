import { join } from 'node:path'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { CoveredTopic } from '../../backtest/history/history.js'
import { canonicalAddress, addressOf, serviceOf, type Topic } from '../../base/domain/topic.js'
import type { HistoryError, RecordingError, WriteError } from '../../base/errors/model.js'
import type { TimeRange } from '../../backtest/recording/codec/timeline.js'
import { createFolders } from '../../backtest/recording/files/files.js'
import { LockedError, lockFile, type FileLock } from '../../backtest/recording/files/file-lock.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { readPast, type PastRange, type StartedFile } from '../../backtest/history/past-reading.js'
import type { OpenableSource } from '../../backtest/recording/read/openable-source.js'
import { TopicPast } from '../../backtest/recording/summary/topic-past.js'
import { openableSource } from '../../backtest/recording/read/source.js'
import { clockOffset } from '../../base/time/clock.js'
import { GatewayError } from '../gateway.js'
import type { GatewaySetup } from '../options.js'
import { FolderIndex } from './folder-index.js'
import { Recorder, type RecorderConfig } from './recorder.js'

export type GatewayHistoryConfig = RecorderConfig & Pick<GatewaySetup, 'service'>

export type PastReader = Required<Pick<PastRange, 'emit' | 'closing' | 'flush'>>

/** Opens the folder, and records the `topics`. Rejects with a `GatewayError` if the folder cannot be used. */
export const openGatewayHistory = async (config: GatewayHistoryConfig): Promise<GatewayHistory> => {
  const { folder, clock, service } = config
  const offset = clockOffset(clock)
  const lock = lockFolder(folder)
  try {
    const index = await FolderIndex.open(folder, () => clock.elapsed() + offset)
    const other = index.topics.map(serviceOf).find((each) => each !== service)
    if (other !== undefined)
      throw historyFolderError(
        `has the history of the service ${other}; choose another folder for ${service}`,
      )
    const topics = config.topics.map((topic) => canonicalTopic(topic, service))
    return new GatewayHistory(new Recorder({ ...config, topics }, index, lock), service)
  } catch (thrown) {
    lock.release()
    throw thrown
  }
}

/** Creates the folder if there is none, and locks it. Replaces the lock of a killed process. Throws a `GatewayError`. */
const lockFolder = (folder: string): FileLock => {
  try {
    createFolders(folder)
    return lockFile(join(folder, 'history.lock'))
  } catch (thrown) {
    if (thrown instanceof LockedError)
      throw historyFolderError(
        `is in use by another gateway, with the process id ${thrown.pid}; choose another folder`,
      )
    const error = thrown as NodeJS.ErrnoException
    throw historyFolderError(
      `cannot be written to (${error.code ?? error.message}); choose another folder`,
      error,
    )
  }
}

const historyFolderError = (problem: string, cause = new Error(problem)): GatewayError =>
  new GatewayError('history.folder', problem, cause)

export class GatewayHistory {
  constructor(
    readonly recorder: Recorder,
    private readonly service: string,
  ) {}

  /** Reads the past of a topic of the service, in the spelling of the caller. A file that an operator has removed is a gap. */
  async read(
    topic: Topic,
    range: TimeRange,
    reader: PastReader,
  ): Promise<Either<HistoryError | WriteError, unknown>> {
    const { recorder } = this
    const { index } = recorder
    const recorded = canonicalTopic(topic, this.service)
    const failure = recorder.failureOf(recorded)
    if (failure !== undefined) return left(failure)
    const past: PastRange = {
      ...{ topic, range, ...reader, isOneRecorder: true },
      isRecordedOn: recorder.find(recorded)?.isRecording === true,
      leavesOut: (_, path) => index.forgetMissing(path),
    }
    const files = index.filesOf(recorded).map((file) => unopened(file.startAt, () => index.pathOf(file)))
    const result = await readPast(past, files)
    if (isLeft(result) && result.left._tag === 'RecordingError') this.onUnreadable(result.left)
    const isWithoutFile = isLeft(result) && result.left._tag === 'UnknownTopic'
    if (!isWithoutFile || recorder.find(recorded)?.isWanted !== true) return result
    new TopicPast(topic, reader.emit, range).finish(true)
    return right(undefined)
  }

  /** Waits for `flush` before each topic. Ends before the last one when `closing` ends. */
  async topics({
    closing,
    flush,
  }: Pick<PastReader, 'closing' | 'flush'>): Promise<Either<WriteError, readonly CoveredTopic[]>> {
    const failure = this.recorder.failureOf()
    if (failure !== undefined) return left(failure)
    const topics: CoveredTopic[] = []
    for (const topic of this.recorder.index.topics) {
      await flush()
      if (closing.closed) break
      const covered = await this.coveredBy(topic)
      if (covered !== undefined) topics.push(covered)
    }
    return right(topics.sort((a, b) => a.from - b.from || (a.topic < b.topic ? -1 : 1)))
  }

  /** Reports the file to the operator. A consumer does not receive the path. */
  private onUnreadable(error: RecordingError): void {
    this.recorder.config.report('svc-streams:history-unreadable', { error })
  }

  /** The time that a topic covers; `undefined` if all its files are missing. Of a file that cannot be read, the time in its name. */
  private async coveredBy(topic: Topic): Promise<CoveredTopic | undefined> {
    const { index } = this.recorder
    for (;;) {
      const files = index.filesOf(topic)
      const [first, last] = [files[0], files.at(-1)]
      if (first === undefined || last === undefined) return undefined
      const [start, end] = [index.pathOf(first), index.pathOf(last)]
      const from = await recordingOf(start).start()
      if (isLeft(from) && (await index.forgetMissing(start))) continue
      const to = await recordingOf(end).latest()
      if (isLeft(to) && (await index.forgetMissing(end))) continue
      for (const time of [from, to]) if (isLeft(time)) this.onUnreadable(time.left)
      return {
        topic,
        from: isRight(from) ? from.right : first.startAt,
        to: isRight(to) ? to.right : last.startAt,
      }
    }
  }
}

/** The topic in the file names of the history. */
const canonicalTopic = (topic: Topic, service: string): Topic =>
  `${service}-${canonicalAddress(addressOf(topic))}`

const recordingOf = (path: string): OpenableSource => openableSource(nodePlatform, path)

/** A file of a reading, which opens few of the files that a topic has. */
const unopened = (start: number, path: () => string): StartedFile => {
  let opened: OpenableSource | undefined
  return {
    start,
    get file() {
      return (opened ??= recordingOf(path()))
    },
  }
}
