import { unlink } from 'node:fs/promises'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { CoveredTopic } from '../../backtest/history/history.js'
import type { Publish } from '../../base/diagnostics/messages.js'
import { canonicalAddress } from '../../base/domain/address.js'
import type { EmitPast } from '../../base/domain/past.js'
import { addressOf, serviceOf, type Topic } from '../../base/domain/topic.js'
import { unknownTopic } from '../../backtest/recording/codec/errors.js'
import type { HistoryError, RecordingError, WriteError } from '../../base/errors/model.js'
import type { TimeRange } from '../../backtest/recording/codec/timeline.js'
import { readFilePart } from '../../backtest/recording/files/files.js'
import { lineEnd } from '../../backtest/recording/read/whole-lines.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import { PastReading } from '../../backtest/history/past-reading.js'
import { RecordedFile, type StartedFile } from '../../backtest/recording/read/recorded-file.js'
import { TopicPast } from '../../backtest/recording/summary/topic-past.js'
import { openableSource } from '../../backtest/recording/read/source.js'
import { clockOffset, type Clock } from '../../base/time/clock.js'
import type { GatewayHistorySnapshot } from '../gateway.js'
import { historyFolderError, lockFolder } from './folder-lock.js'
import { filePeriod, FolderIndex, type FolderLimits, type HistoryFile } from './folder-index.js'
import { TopicRecorder } from './recorder.js'

/** Interval at which the folder is checked, in ms. */
export const checkInterval = 10_000

export interface GatewayHistoryConfig {
  readonly client: PriceClient
  readonly clock: Clock
  readonly publish: Publish
  /** The name of the gateway in diagnostics. */
  readonly ownHost: () => string
  readonly service: string
}

export interface GatewayHistorySetup extends FolderLimits {
  readonly folder: string
  readonly topics: readonly Topic[]
}

/** The number of the largest files that a history has. */
const largestFiles = 64

/** The receiver of the events of a reading. */
export interface PastReader {
  readonly emit: EmitPast
  /** Ends the reading. */
  readonly closing: Subscription
  /** Called before each chunk of a file is decoded, which waits for the promise. */
  readonly flush: () => Promise<void> | undefined
}

/** The history of a gateway. */
export interface GatewayHistory {
  /** Records a topic, as it is requested from the service, until the subscription ends. */
  readonly record: (topic: Topic) => Subscription
  /** Reads the past of a topic of the service, in the spelling of the caller. */
  readonly read: (
    topic: Topic,
    range: TimeRange,
    reader: PastReader,
  ) => Promise<Either<HistoryError | WriteError, unknown>>
  readonly topics: () => Promise<Either<WriteError, readonly CoveredTopic[]>>
  readonly snapshot: () => GatewayHistorySnapshot
  /** Ends the recordings, and unlocks the folder. Idempotent. */
  readonly close: () => void
}

/** Opens the folder, and records the `topics`. Rejects with a `GatewayError` if the folder cannot be used. */
export const openGatewayHistory = async (
  { folder, topics, ...limits }: GatewayHistorySetup,
  { client, clock, publish, ownHost, service }: GatewayHistoryConfig,
): Promise<GatewayHistory> => {
  const offset = clockOffset(clock)
  const lock = lockFolder(folder)
  const index = await FolderIndex.open(folder, () => clock.elapsed() + offset)
    .then((opened) => prepareFiles(opened, service))
    .catch((thrown: unknown) => {
      lock.release()
      throw thrown
    })
  const deleteOld = (): void => void index.deleteOld(limits, (file) => recorder.leave(file))
  const recorder = new TopicRecorder({
    folder,
    client,
    clock,
    index,
    maxFileBytes: limits.maxBytes / largestFiles,
    onFailure: (error) => publish('svc-streams:gateway-history', () => ({ host: ownHost(), error })),
    onWritten: () => {
      if (index.isLargerThan(limits.maxBytes)) deleteOld()
    },
  })

  const checkFolder = (): void => {
    try {
      lock.check()
      recorder.setFolderFailure(undefined)
    } catch (thrown) {
      recorder.setFolderFailure(thrown)
    }
  }
  const maintain = (): void => {
    checkFolder()
    recorder.closeUnwanted()
    recorder.requestRejected()
    if (recorder.failureOf() === undefined) deleteOld()
  }
  maintain()
  const stopChecks = clock.startInterval(maintain, checkInterval)
  const always = topics.map((topic) => recorder.record(canonicalTopic(service, topic)))
  /** A consumer does not receive the path. */
  const onUnreadable = (error: RecordingError): void =>
    publish('svc-streams:history-unreadable', () => ({ host: ownHost(), error }))
  const covered = new CoveredTimes(index, recorder, onUnreadable)

  /** Why the history cannot be read now. */
  const failureOf = (topic?: Topic): WriteError | undefined => {
    checkFolder()
    return recorder.failureOf(topic)
  }

  return {
    record: (topic) => recorder.record(topic),
    read: async (topic, range, { emit, closing, flush }) => {
      const recorded = canonicalTopic(service, topic)
      const failure = failureOf(recorded)
      if (failure !== undefined) return left(failure)
      let emitted = 0
      const onEvent: EmitPast = (event, position) => {
        emitted++
        emit(event, position)
      }
      for (;;) {
        const files = index.filesOf(recorded)
        if (await index.forgetMissing(filesWithin(range, files))) continue
        if (files.length === 0) {
          if (!recorder.isWanted(recorded)) return left(unknownTopic(topic, index.topics))
          new TopicPast(topic, emit, range).finish(true)
          return right(undefined)
        }
        const recordings = files.map((file) => new UnopenedFile(file.startAt, () => index.pathOf(file)))
        const reading = new PastReading({
          ...{ topic, range, emit: onEvent, closing, flush, isOneRecorder: true },
          isRecordedOn: recorder.isRecording(recorded),
        })
        const result = await reading.read(recordings)
        // An earlier file, which decides whether the topic had a price at the start of the range, may be missing too.
        if (isLeft(result) && emitted === 0 && (await index.forgetMissing(files))) continue
        if (isLeft(result) && result.left._tag === 'RecordingError') onUnreadable(result.left)
        return result
      }
    },
    topics: async () => {
      const failure = failureOf()
      return failure === undefined ? right(await covered.all()) : left(failure)
    },
    snapshot: () => ({ folder, ...recorder.snapshot() }),
    close: () => {
      stopChecks()
      for (const subscription of always) subscription.unsubscribe()
      recorder.closeUnwanted()
      lock.release()
    },
  }
}

/**
 * A crash may leave a file without a header. Rejects with a `GatewayError` if the folder has files of another service.
 */
const prepareFiles = async (index: FolderIndex, service: string): Promise<FolderIndex> => {
  for (const topic of index.topics) {
    if (serviceOf(topic) !== service) {
      throw historyFolderError(
        `has the history of the service ${serviceOf(topic)}; choose another folder for ${service}`,
      )
    }
    const last = index.filesOf(topic).slice(-1)
    for (const file of last) await removeWithoutHeader(index.pathOf(file))
    await index.forgetMissing(last)
  }
  return index
}

/** Removes a file that is not a recording, because its first line is not complete. Never rejects. */
const removeWithoutHeader = async (path: string): Promise<void> => {
  try {
    const bytes = await readFilePart(path, 0, headerBytes)
    if (!bytes.includes(lineEnd)) await unlink(path)
  } catch {
    // It cannot be read or removed now.
  }
}

/** Longer than a header of one topic. */
const headerBytes = 4096

/** The times that the topics cover. Of each file that is not written to, they are read once. */
class CoveredTimes {
  private readonly starts = new WeakMap<HistoryFile, number>()
  private readonly ends = new WeakMap<HistoryFile, number>()

  constructor(
    private readonly index: FolderIndex,
    private readonly recorder: TopicRecorder,
    private readonly onUnreadable: (error: RecordingError) => void,
  ) {}

  async all(): Promise<readonly CoveredTopic[]> {
    const topics: CoveredTopic[] = []
    for (const topic of this.index.topics) {
      const covered = await this.of(topic)
      if (covered !== undefined) topics.push(covered)
    }
    return topics.sort((a, b) => a.from - b.from || (a.topic < b.topic ? -1 : 1))
  }

  /** `undefined`: all files of the topic are missing. */
  private async of(topic: Topic): Promise<CoveredTopic | undefined> {
    for (;;) {
      const files = this.index.filesOf(topic)
      const [first, last] = [files[0], files.at(-1)]
      if (first === undefined || last === undefined) return undefined
      if (await this.index.forgetMissing([first, last])) continue
      const from = await this.timeOf(first, this.starts, (file) => file.start())
      const to = this.recorder.latestIn(last) ?? (await this.timeOf(last, this.ends, (file) => file.latest()))
      return { topic, from, to }
    }
  }

  /** Of a file that cannot be read, the time in its name. */
  private async timeOf(
    file: HistoryFile,
    known: WeakMap<HistoryFile, number>,
    read: (file: RecordedFile) => Promise<Either<RecordingError, number>>,
  ): Promise<number> {
    const time = known.get(file)
    if (time !== undefined) return time
    const result = await read(recordingOf(this.index.pathOf(file)))
    if (isRight(result)) known.set(file, result.right)
    else this.onUnreadable(result.left)
    return isRight(result) ? result.right : file.startAt
  }
}

/** A file of a reading, which opens few of the files that a topic has. */
class UnopenedFile implements StartedFile {
  private opened: RecordedFile | undefined

  constructor(
    readonly start: number,
    private readonly path: () => string,
  ) {}

  get file(): RecordedFile {
    return (this.opened ??= recordingOf(this.path()))
  }
}

const recordingOf = (path: string): RecordedFile => new RecordedFile(openableSource(nodePlatform, path))

/** Of files in the order of their names: those that may have a row of the range, and the next one. */
const filesWithin = ({ from, to }: TimeRange, files: readonly HistoryFile[]): readonly HistoryFile[] => {
  const next = files.findIndex(({ startAt }) => startAt >= to)
  return files
    .slice(0, next < 0 ? files.length : next + 1)
    .filter(({ startAt }) => startAt + filePeriod > from)
}

/** The topic in the file names of a history. */
const canonicalTopic = (service: string, topic: Topic): Topic =>
  `${service}-${canonicalAddress(addressOf(topic))}`
