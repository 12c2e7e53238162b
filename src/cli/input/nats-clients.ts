import { left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import type { Environment } from '../../domain/environment.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import type * as Nats from '../../nats/index.js'
import { flagErrorText } from './flag-error.js'

/** A client over NATS. */
export interface NatsClients {
  readonly client: PriceClient
  /** The same client, if it has depth. */
  readonly depthClient: Client | undefined
}

/** Times of the client that differ from their defaults, in ms. */
type Times = Partial<
  Readonly<Record<'requestTimeout' | 'connectTimeout' | 'confirmTimeout' | 'staleAfter', number>>
>

/** The client of `--nats`. `servers`: addresses, separated by commas. Left: the error message. */
export const createNatsClients = async (
  servers: string,
  environment: Environment,
  times: Times = {},
): Promise<Either<string, NatsClients>> => {
  const nats = await loadNats()
  if (nats === undefined) return left(missingPackage)
  try {
    const options = { ...times, servers: serverList(servers) }
    if (environment === 'testnet') {
      return right({ client: nats.natsClient({ ...options, environment }), depthClient: undefined })
    }
    const client = nats.natsClient({ ...options, environment })
    return right({ client, depthClient: client })
  } catch (error) {
    if (error instanceof ConfigurationError) return left(natsErrorText(error))
    throw error
  }
}

/** The entry point for NATS; `undefined` without the optional package that it needs. */
export const loadNats = async (): Promise<typeof Nats | undefined> => {
  try {
    return await import('../../nats/index.js')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

export const missingPackage = `--nats needs the package @nats-io/transport-node:
  npm install @nats-io/transport-node
  npx -p svc-streams -p @nats-io/transport-node svc-streams ...`

export const serverList = (servers: string): readonly string[] =>
  servers.split(',').map((each) => each.trim())

/** The message of a `ConfigurationError` with the flag instead of the option's name. */
export const natsErrorText = (error: ConfigurationError): string =>
  flagErrorText(
    error.option === 'servers'
      ? new ConfigurationError('nats', error.message.slice('servers: '.length))
      : error,
  )

/** The first server without its user and password. */
export const natsHost = (servers: string): string =>
  (serverList(servers)[0] ?? '').replace(/^[a-z]+:\/\//, '').replace(/^.*@/, '')
