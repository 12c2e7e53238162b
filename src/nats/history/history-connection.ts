import type { NatsConnection } from '@nats-io/transport-node'
import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { networkError, timeout } from '../../errors/constructors.js'
import type { HistoryError } from '../../errors/model.js'
import { deferred } from '../../task/deferred.js'
import { rxClock } from '../../time/rx-clock.js'
import { delay } from '../../time/deadline.js'
import { NatsLink } from '../connection/nats-link.js'
import type { NatsOptions } from '../connection/options.js'
import { jetStreamFailure, loadJetStream, type JetStream } from './jetstream.js'

/** The time in which a NATS server has to accept the connection of a reading, in ms. */
export const connectLimit = 3_000

type Read<A> = (jetStream: JetStream) => Promise<Either<HistoryError, A>>

/**
 * Reads over a connection of its own, which is closed afterwards, or when `closing` ends. A failure of the connection or of
 * JetStream is a `Left`. Never rejects.
 */
export const readHistory = async <A>(
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
export const checkServers = (options: NatsOptions): void => {
  new NatsLink(options, rxClock)
}
