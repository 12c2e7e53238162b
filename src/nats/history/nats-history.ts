import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, Subscription } from 'rxjs'
import type { CoveredTopic, History } from '../../client/history.js'
import { serviceOption } from '../../client/options.js'
import { parsePastRange, parseTopic } from '../../codec/arguments.js'
import type { PastEvent } from '../../domain/past.js'
import type { Topic } from '../../domain/topic.js'
import { unknownTopic } from '../../errors/constructors.js'
import type { HistoryError } from '../../errors/model.js'
import type { OptionTable } from '../../option-kinds/option.js'
import { parseOptions } from '../../option-kinds/parse-options.js'
import type { TimeRange } from '../../recording/format/timeline.js'
import { rxClock } from '../../time/rx-clock.js'
import { connectionNames, connectionOptionsOf, type NatsOptions } from '../connection/options.js'
import { subjectsOf } from '../subjects.js'
import { readCoveredTopics, readTopicNames } from './covered-topics.js'
import { checkServers, readHistory } from './history-connection.js'
import { readPast } from './read-past.js'

/**
 * Options of `natsHistory`: `servers`, the options of the NATS connection, such as `user`, `authenticator` and `tls`, and those
 * below. An absent option has its default.
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
 * Opens the prices of the past that gateways on NATS have stored: those with the option `history`. Needs the package
 * `@nats-io/jetstream`. Opens no connection until a stream is subscribed to or a task is run; each has a connection of its
 * own, which ends with it. Memory does not grow with the range.
 *
 * - A server that is not reachable within 3 s, one without JetStream, a missing stream, a missing permission and a missing
 *   package are a `NetworkError` that says so, or a `Timeout`.
 * - A connection that is lost is a `NetworkError`, after the events before the loss.
 * - A message that is no part of a recording is a `RecordingError`, which names its subject and its number in the stream.
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

  const read = (
    topic: Topic,
    range: TimeRange,
    emit: (event: PastEvent) => void,
    closing: Subscription,
  ): Promise<Either<HistoryError, unknown>> =>
    readHistory(connection, closing, async (jetStream) => {
      const end = await readPast(jetStream, subjects, { topic, range, emit, closing })
      if (isLeft(end) || end.right) return end
      return left(unknownTopic(topic, await readTopicNames(jetStream, subjects, service)))
    })

  return {
    prices$: (topic, range) =>
      new Observable((subscriber) => {
        const end = (result: Either<HistoryError, unknown>): void => {
          if (isLeft(result)) subscriber.next(result)
          subscriber.complete()
        }
        const parsed = parseTopic(topic, service)
        if (isLeft(parsed)) return end(parsed)
        const pastRange = parsePastRange(range.from, range.to, rxClock.wallClock())
        if (isLeft(pastRange)) return end(pastRange)
        const closing = new Subscription()
        subscriber.add(closing)
        void read(topic, pastRange.right, (event) => subscriber.next(right(event)), closing).then(end)
      }),
    topics: () => (): Promise<Either<HistoryError, readonly CoveredTopic[]>> =>
      readHistory(connection, new Subscription(), (jetStream) =>
        readCoveredTopics(jetStream, subjects, service),
      ),
  }
}
