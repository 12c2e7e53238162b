import type * as jetStreamPackage from '@nats-io/jetstream'
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { importPackage } from '../../wire/transport/packages.js'

/** JetStream over one connection to NATS. */
export interface JetStream {
  readonly client: JetStreamClient
  readonly manager: JetStreamManager
}

export type OpenJetStream = (connection: NatsConnection) => Promise<JetStream>

/** The time that the server has to answer one request, in ms. */
const requestTime = 5_000

/** Loads the optional package `@nats-io/jetstream`. Left: it is not installed, or it cannot be loaded. */
export const loadJetStream = async (): Promise<Either<ConfigurationError, OpenJetStream>> => {
  try {
    return right(jetStreamOf(await importPackage('@nats-io/jetstream', 'jetstream', importByName)))
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    const problem =
      code === 'ERR_MODULE_NOT_FOUND'
        ? 'needs the package @nats-io/jetstream: npm install @nats-io/jetstream'
        : `the package @nats-io/jetstream cannot be loaded: ${message}`
    return left(new ConfigurationError('history', problem))
  }
}

/** The package, once it is loaded. */
export const jetStreamOf =
  ({
    jetstream,
    jetstreamManager,
  }: Pick<typeof jetStreamPackage, 'jetstream' | 'jetstreamManager'>): OpenJetStream =>
  async (connection) => ({
    client: jetstream(connection, { timeout: requestTime }),
    manager: await jetstreamManager(connection, { timeout: requestTime, checkAPI: false }),
  })

/** The `catch` lets bundlers accept a missing optional package. */
const importByName = (): Promise<typeof jetStreamPackage> => import('@nats-io/jetstream').catch(rethrow)

const rethrow = (thrown: unknown): never => {
  throw thrown
}

/** The description of a failure of JetStream. The errors are recognised by name, because the package is loaded late. */
export const jetStreamFailure = (thrown: unknown): Error => {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  return error.name === 'JetStreamNotEnabled'
    ? new Error('the NATS server has no JetStream: enable it in its configuration', { cause: error })
    : error
}

/** The code of an error of the JetStream API; `undefined` for any other failure. */
export const apiCodeOf = (thrown: unknown): number | undefined => {
  const { name, code } = thrown as { readonly name?: unknown; readonly code?: unknown }
  return (name === 'JetStreamApiError' || name === 'StreamNotFoundError') && typeof code === 'number'
    ? code
    : undefined
}

export const streamNotFound = 10_059
export const wrongLastSequence = 10_071
