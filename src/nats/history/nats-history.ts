import type { StoredMsg } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { pricesFrom$, type CoveredTopic, type History } from '../../backtest/recording/past/history.js'
import { serviceOption } from '../../client/options.js'
import { parsePastRange, parseTopic } from '../../wire/codec/arguments.js'
import type { Topic } from '../../base/domain/topic.js'
import { networkError, timeout, unknownTopic } from '../../base/errors/constructors.js'
import type { HistoryError } from '../../base/errors/model.js'
import type { OptionTable } from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import { node } from '../../wire/platform/node.js'
import { decodeHeader, decodeRow } from '../../backtest/recording/format/row-codec.js'
import { deferred } from '../../base/task/deferred.js'
import { delay } from '../../base/time/deadline.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { NatsLink } from '../connection/nats-link.js'
import { connectionNames, connectionOptionsOf, type NatsOptions } from '../connection/options.js'
import { subjectsOf, type Subjects } from '../subjects.js'
import { jetStreamFailure, loadJetStream, type JetStream } from './jetstream.js'
import { readPast } from './read-past.js'

/**
 * Options of `natsHistory`: `servers`, the options of the NATS connection, such as `user`, `authenticator` and `tls`,
 * and the options below. An absent option has its default.
 */
export interface NatsHistoryOptions extends NatsOptions {
  /** Name of the service: prefix of topics and of subjects. Default: `svc`. */
  readonly service?: string
}

/** @internal */
export const natsHistoryOptionsTable = {
  service: serviceOption,
} satisfies OptionTable<Omit<NatsHistoryOptions, keyof NatsOptions>>

/**
 * Opens the past prices that gateways on NATS with the option `history` have stored. Needs the package
 * `@nats-io/jetstream`. Opens no connection until a stream is subscribed to or a task is run. Each subscription and
 * each task has its own connection, which is closed at the end. Memory does not grow with the range.
 *
 * - The error is a `NetworkError` with the cause, or a `Timeout`, if no server is reachable within 3 s. The same
 *   applies without JetStream, without the stream, without permission, and without the package.
 * - A lost connection is a `NetworkError`, after the events before the loss.
 * - A message that is not part of a recording is a `RecordingError` of `prices$`, which contains its subject and its
 *   number in the stream. `topics` skips such messages, and publishes their number on the channel
 *   `svc-streams:history-skipped`.
 *
 * Throws a `ConfigurationError` that names the first invalid option.
 *
 * @example
 * import { natsHistory } from 'svc-streams/nats'
 * const history = natsHistory({ servers: 'nats://127.0.0.1:4222' })
 * const past$ = history.prices$('svc-0x82af', { from: Date.now() - 20 * 60_000 })
 */
export const natsHistory = (options: NatsHistoryOptions): History => {
  const { service } = parseOptions(natsHistoryOptionsTable, options, {
    otherNames: Object.keys(connectionNames),
  })
  const subjects = subjectsOf(service)
  const connection = connectionOptionsOf(options)
  checkServers(connection)

  return {
    prices$: pricesFrom$({
      parseTopic: (topic) => parseTopic(topic, service),
      parseTimes: ({ from, to }) => parsePastRange(from, to, rxClock.wallClock()),
      read: (topic, range, emit, closing) =>
        readHistory(connection, closing, async (jetStream) => {
          const end = await readPast(jetStream, subjects, { topic, range, emit, closing })
          if (isLeft(end) || end.right) return end
          const stored = await readSubjects(jetStream, subjects, service)
          return left(
            unknownTopic(
              topic,
              stored.flatMap((each) => each.topic ?? []),
            ),
          )
        }),
    }),
    topics: () => (): Promise<Either<HistoryError, readonly CoveredTopic[]>> =>
      readHistory(connection, new Subscription(), (jetStream) =>
        readCoveredTopics(jetStream, subjects, service).then(right),
      ),
  }
}

/** The number of topics whose messages are requested at the same time. */
const requestsAtOnce = 32

interface StoredSubject {
  readonly subject: string
  /** `undefined` if the subject is no topic: its messages are no part of the history. */
  readonly topic: Topic | undefined
  /** Number of messages. */
  readonly messages: number
}

/** The subjects of the stream that has this history, in its spelling. */
const readSubjects = async (
  { manager }: JetStream,
  { historyStream, histories }: Subjects,
  service: string,
): Promise<readonly StoredSubject[]> => {
  const { state } = await manager.streams.info(historyStream, { subjects_filter: histories })
  return Object.entries(state.subjects ?? {}).map(([subject, messages]) => {
    const topic = parseTopic(`${service}-${subject.slice(histories.length - 1)}`, service)
    return { subject, messages, topic: isLeft(topic) ? undefined : topic.right }
  })
}

/** The topics of the stream, with the times of their first and last rows. A topic without a row is left out. */
const readCoveredTopics = async (
  jetStream: JetStream,
  subjects: Subjects,
  service: string,
): Promise<readonly CoveredTopic[]> => {
  const stored = await readSubjects(jetStream, subjects, service)
  const topics: CoveredTopic[] = []
  const undecodable = new Set<number>()
  let foreign = 0
  const read = async ({ subject, topic, messages }: StoredSubject): Promise<void> => {
    if (topic === undefined) return void (foreign += messages)
    const times = await readTimes(jetStream, subjects, subject, undecodable)
    if (times !== undefined) topics.push({ topic, ...times })
  }
  for (let start = 0; start < stored.length; start += requestsAtOnce)
    await Promise.all(stored.slice(start, start + requestsAtOnce).map(read))
  const messages = foreign + undecodable.size
  if (messages > 0)
    node.publish('svc-streams:history-skipped', () => ({ stream: subjects.historyStream, messages }))
  return topics.sort((a, b) => a.from - b.from)
}

/**
 * The times of the first and the last row. `undefined` without a row. Adds the numbers of the messages without a row to
 * `undecodable`.
 */
const readTimes = async (
  { manager }: JetStream,
  { historyStream }: Subjects,
  subject: string,
  undecodable: Set<number>,
): Promise<Omit<CoveredTopic, 'topic'> | undefined> => {
  const { streams } = manager
  const last = await streams.getMessage(historyStream, { last_by_subj: subject })
  if (last === null) return undefined
  const timesOf = (message: StoredMsg): readonly number[] => {
    const found = timesIn(message)
    if (found.length === 0) undecodable.add(message.seq)
    return found
  }
  /** The times of the lines of the messages with numbers in this range. */
  const times = async function* (seq: number, end: number): AsyncGenerator<readonly number[], void> {
    while (seq <= end) {
      const message = await streams.getMessage(historyStream, nextOf(subject, seq))
      if (message === null) return
      yield timesOf(message)
      seq = message.seq + 1
    }
  }
  let to = timesOf(last).at(-1)
  // The stream has no index backwards.
  for (let back = 1; to === undefined && back < last.seq * 2; back *= 2) {
    for await (const found of times(Math.max(1, last.seq - back), last.seq - 1)) to = found.at(-1) ?? to
  }
  if (to === undefined) return undefined
  for await (const [from] of times(1, last.seq)) if (from !== undefined) return { from, to }
  return undefined
}

/** The type of the package lacks this form of the request. */
const nextOf = (subject: string, seq: number) => ({ seq, next_by_subj: subject })

/** The times of the lines of a message that can be decoded, in ms since the Unix epoch. */
const timesIn = (message: StoredMsg): readonly number[] =>
  message
    .string()
    .split('\n')
    .flatMap((line) => {
      const header = decodeHeader(line)
      const row = isLeft(header) ? decodeRow(line) : header
      return isLeft(row) ? [] : [row.right.at]
    })

/** The time in which a NATS server has to accept the connection of a reading, in ms. */
export const connectLimit = 3_000

type Read<A> = (jetStream: JetStream) => Promise<Either<HistoryError, A>>

/**
 * Reads over a separate connection, which is closed afterwards, or when the subscription `closing` ends. A failure of
 * the connection or of JetStream is a `Left`. Never rejects.
 */
const readHistory = async <A>(
  options: NatsOptions,
  closing: Subscription,
  read: Read<A>,
): Promise<Either<HistoryError, A>> => {
  const loaded = await loadJetStream()
  if (isLeft(loaded)) return left(networkError(loaded.left))
  const open = loaded.right
  const link = new NatsLink(options, rxClock)
  const ended = deferred<Either<HistoryError, A>>()
  const fail = (thrown: unknown): void => ended.resolve(left(networkError(jetStreamFailure(thrown))))
  const readOver = async (connection: NatsConnection): Promise<void> => {
    try {
      ended.resolve(await read(await open(connection)))
    } catch (thrown) {
      fail(thrown)
    }
  }
  const connecting = delay(rxClock, connectLimit, () => {
    const { problem } = link
    ended.resolve(left(problem === '' ? timeout(connectLimit) : networkError(new Error(problem))))
  })
  closing.add(() => fail(new Error('the reading was ended')))
  link.use({
    onConnected: (connection) => {
      connecting.unsubscribe()
      void readOver(connection)
    },
    onLost: (reason) => fail(new Error(reason)),
  })
  const result = await ended.promise
  connecting.unsubscribe()
  await link.close()
  return result
}

/** Throws a `ConfigurationError` for invalid addresses. */
const checkServers = (options: NatsOptions): void => {
  new NatsLink(options, rxClock)
}
