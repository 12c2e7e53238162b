import { readdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { CoveredTopic } from '../../client/history.js'
import type { Publish } from '../../diagnostics/messages.js'
import { canonicalAddress } from '../../domain/address.js'
import type { PastEvent } from '../../domain/past.js'
import { addressOf, serviceOf, type Topic } from '../../domain/topic.js'
import { unknownTopic } from '../../errors/constructors.js'
import type { HistoryError, WriteError } from '../../errors/model.js'
import type { TimeRange } from '../../recording/format/timeline.js'
import { nodePlatform } from '../../recording/on-node.js'
import { PastReading } from '../../recording/past/past-reading.js'
import { RecordedFile, rotatedStart } from '../../recording/past/recorded-file.js'
import { recordedHistory } from '../../recording/past/recorded-history.js'
import { TopicPast } from '../../recording/past/topic-past.js'
import { openableSources, type OpenableSource } from '../../recording/read/source.js'
import type { Clock } from '../../time/clock.js'
import type { GatewayHistorySnapshot } from '../gateway.js'
import { historyFolderError, lockFolder } from './folder-lock.js'
import { filePeriod, removeWithoutHeader, TopicRecorder } from './recorder.js'

/** Interval at which the folder is checked, in ms. */
export const checkInterval = 10_000

/** Old files are deleted at every sixth check: a large folder takes some ms. */
const checksPerDeletion = 6

export interface GatewayHistoryConfig {
  readonly client: PriceClient
  readonly clock: Clock
  readonly publish: Publish
  /** The name of the gateway in diagnostics. */
  readonly ownHost: () => string
  readonly service: string
}

export interface GatewayHistorySetup {
  readonly folder: string
  /** In ms. */
  readonly keep: number
  readonly topics: readonly Topic[]
}

/** The receiver of the events of a reading. */
export interface PastReader {
  readonly emit: (event: PastEvent) => void
  /** Ends the reading. */
  readonly closing: Subscription
  /** Called after each chunk of a file. The reading continues when the promise resolves. */
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
  readonly topics: () => Promise<Either<HistoryError | WriteError, readonly CoveredTopic[]>>
  readonly snapshot: () => GatewayHistorySnapshot
  /** Ends the recordings, and unlocks the folder. Idempotent. */
  readonly close: () => void
}

/** Opens the folder, and records the `topics`. Throws a `GatewayError` if the folder cannot be used. */
export const openGatewayHistory = (
  { folder, keep, topics }: GatewayHistorySetup,
  { client, clock, publish, ownHost, service }: GatewayHistoryConfig,
): GatewayHistory => {
  const lock = lockFolder(folder)
  try {
    prepareFiles(folder, service)
  } catch (thrown) {
    lock.release()
    throw thrown
  }
  const recorder = new TopicRecorder({
    folder,
    client,
    clock,
    onFailure: (error) => publish('svc-streams:gateway-history', () => ({ host: ownHost(), error })),
  })

  const checkFolder = (): void => {
    try {
      lock.check()
      recorder.setFolderFailure(undefined)
    } catch (thrown) {
      recorder.setFolderFailure(thrown)
    }
  }
  const deleteExpired = (): void => {
    for (const path of expiredFiles(historyFiles(folder), clock.wallClock() - keep)) deleteFile(path)
  }
  let checks = 0
  const maintain = (): void => {
    checkFolder()
    recorder.closeUnwanted()
    recorder.requestRejected()
    try {
      if (checks++ % checksPerDeletion === 0 && recorder.failureOf() === undefined) deleteExpired()
    } catch {
      // The folder cannot be read now. The next check tries again.
    }
  }
  maintain()
  const stopChecks = clock.startInterval(maintain, checkInterval)
  const always = topics.map((topic) => recorder.record(canonicalTopic(service, topic)))

  /** Left: the history cannot be read now. */
  const files = (topic?: Topic): Either<WriteError, readonly HistoryFile[]> => {
    checkFolder()
    const failure = recorder.failureOf(topic)
    return failure === undefined ? right(historyFiles(folder)) : left(failure)
  }

  return {
    record: (topic) => recorder.record(topic),
    read: async (topic, range, { emit, closing, flush }) => {
      const recorded = canonicalTopic(service, topic)
      const found = files(recorded)
      if (isLeft(found)) return found
      const sources = sourcesOf(found.right.filter((file) => file.topic === recorded))
      if (sources.length === 0) {
        if (!recorder.isWanted(recorded)) return left(unknownTopic(topic, distinctTopics(found.right)))
        new TopicPast(topic, emit, range).finish(true)
        return right(undefined)
      }
      const isRecordedOn = recorder.isRecording(recorded)
      const recordings = sources.map((source) => new RecordedFile(source))
      return new PastReading(topic, range, emit, closing, flush, isRecordedOn).read(recordings)
    },
    topics: async () => {
      const found = files()
      if (isLeft(found)) return found
      const ends = distinctTopics(found.right).flatMap((topic) => {
        const ofTopic = found.right.filter((file) => file.topic === topic)
        return [...new Set([ofTopic[0], ofTopic.at(-1)])].filter((file) => file !== undefined)
      })
      return ends.length === 0 ? right([]) : recordedHistory(sourcesOf(ends)).topics()()
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

/** A crash may leave a file without a header. Throws a `GatewayError` if the folder has files of another service. */
const prepareFiles = (folder: string, service: string): void => {
  const last = new Map(historyFiles(folder).map((file) => [file.topic, file]))
  for (const { topic, path } of last.values()) {
    if (serviceOf(topic) !== service) {
      throw historyFolderError(
        `has the history of the service ${serviceOf(topic)}; choose another folder for ${service}`,
      )
    }
    removeWithoutHeader(path)
  }
}

/** The files without a row of a time or later, in ms since the Unix epoch. */
const expiredFiles = (files: readonly HistoryFile[], time: number): readonly string[] =>
  files.filter(({ startAt }) => startAt - (startAt % filePeriod) + filePeriod <= time).map(({ path }) => path)

/** Windows deletes no file that another program has open. A later check tries it again. */
const deleteFile = (path: string): void => {
  try {
    unlinkSync(path)
  } catch {
    // The other files are deleted.
  }
}

const sourcesOf = (files: readonly HistoryFile[]): readonly OpenableSource[] =>
  openableSources(
    nodePlatform,
    files.map(({ path }) => path),
  )

const distinctTopics = (files: readonly HistoryFile[]): readonly Topic[] => [
  ...new Set(files.map(({ topic }) => topic)),
]

/** A file of a history. */
interface HistoryFile {
  readonly path: string
  /** The address of the topic is in lower case. */
  readonly topic: Topic
  /** In ms since the Unix epoch. */
  readonly startAt: number
}

/** `svc-0xab.2026-11-22T10-00-00Z.ndjson`: the time is in UTC. A number follows it if the name was taken. */
const filePattern = /^([\w-]+-0x[0-9a-f]+)\.[^.]+\.ndjson$/

/** The files of all histories in a folder, of each topic in the order of their starts. Throws if it cannot be read. */
const historyFiles = (folder: string): readonly HistoryFile[] =>
  readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const [, topic] = filePattern.exec(name) ?? []
      const startAt = rotatedStart(name)
      if (topic === undefined || startAt === undefined) return []
      return [{ path: join(folder, name), topic: topic as Topic, startAt }]
    })

/** The topic in the file names of a history. */
const canonicalTopic = (service: string, topic: Topic): Topic =>
  `${service}-${canonicalAddress(addressOf(topic))}`
