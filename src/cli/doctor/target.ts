import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { configure } from '../../client/configuration.js'
import { node } from '../../platform/node.js'
import { createClient } from '../../client/on-node.js'
import type { ClientOptions } from '../../client/options.js'
import type { Environment } from '../../domain/environment.js'
import { defaultService, type Topic } from '../../domain/topic.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { eth } from '../../simulator/market/known-tokens.js'
import type { TokenOptions } from '../../simulator/index.js'
import { clientOptions, hasDepth } from '../input/client-options.js'
import {
  deploymentFlags,
  withVariable,
  type DeploymentFlagName,
  type DeploymentFlags,
} from '../input/deployment-flags.js'
import { flagErrorText } from '../input/flag-error.js'
import { createNatsClients, natsHost } from '../input/nats-clients.js'

/** One interface of the service. */
export interface Interface {
  readonly url: URL
  /** The flag that gives its address. */
  readonly flag: DeploymentFlagName
}

/** The service to check. */
export interface Target {
  readonly priceHttp: Interface
  readonly priceSocket: Interface
  /** Undefined without an address, and on testnet. */
  readonly relayer: Interface | undefined
  readonly isTestnet: boolean
  readonly client: PriceClient
  /** A client that signs; undefined without a key. */
  readonly signingClient: Client | undefined
  /** A client that does not sign; undefined without a relayer. */
  readonly unsignedClient: Client | undefined
  /** The token that is requested. The service need not list it. */
  readonly token: TokenOptions & { readonly symbol: string }
  readonly topic: Topic
  /** The limit of each wait, in ms. */
  readonly limit: number
  readonly close: () => Promise<void>
}

export interface OptionsProblem {
  readonly problem: string
  readonly advice: string
}

/** The target of the flags. Left: what is wrong with them. */
export const createTarget = async (
  flags: DeploymentFlags,
  limit: number,
): Promise<Either<OptionsProblem, Target>> => {
  if (flags.nats !== undefined) return createNatsTarget(flags.nats, flags.environment, limit)
  const options = clientOptions(flags, 'both')
  const priceOptions = clientOptions(flags, 'prices')
  if (isLeft(options) || isLeft(priceOptions)) {
    if (isLeft(options) && flags.gateway !== undefined)
      return left({ problem: options.left, advice: correction })
    const { priceBaseUrl, gateway, nats } = deploymentFlags
    const sources = [priceBaseUrl, gateway, nats].map(withVariable).join(', or ')
    return left({ problem: 'the service is not configured', advice: `Set ${sources}, or add --simulate.` })
  }
  try {
    return right(
      targetOf(
        { ...options.right, ...limitsOf(limit) },
        { ...priceOptions.right, ...limitsOf(limit) },
        flags,
        limit,
      ),
    )
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return left({ problem: flagErrorText(error), advice: correction })
  }
}

const limitsOf = (limit: number) => ({
  requestTimeout: limit,
  connectTimeout: limit,
  confirmTimeout: limit,
  staleAfter: limit,
})

const createNatsTarget = async (
  servers: string,
  environment: Environment,
  limit: number,
): Promise<Either<OptionsProblem, Target>> => {
  const clients = await createNatsClients(servers, environment, limitsOf(limit))
  if (isLeft(clients)) return left({ problem: clients.left, advice: correction })
  const { client, depthClient } = clients.right
  // One interface for all: prices and depth come over the same connection.
  const nats: Interface = { url: new URL(`nats://${natsHost(servers)}`), flag: 'nats' }
  return right({
    ...checkedToken,
    priceHttp: nats,
    priceSocket: nats,
    relayer: depthClient === undefined ? undefined : nats,
    isTestnet: environment === 'testnet',
    client,
    signingClient: undefined,
    unsignedClient: depthClient,
    limit,
    close: () => client.close(),
  })
}

/** The token that is requested. */
const checkedToken: Pick<Target, 'token' | 'topic'> = {
  token: eth,
  topic: `${defaultService}-${eth.address}`,
}

const correction = 'Correct the flag or the environment variable.'

const targetOf = (
  options: ClientOptions,
  priceOptions: ClientOptions,
  flags: DeploymentFlags,
  limit: number,
): Target => {
  const isTestnet = options.environment !== 'mainnet'
  const isGateway = flags.gateway !== undefined
  // Without a key, the options of a service have no baseUrl.
  const givenUrl = isGateway ? options.baseUrl : flags.baseUrl
  const baseUrl = givenUrl === '' || isTestnet ? undefined : givenUrl
  const signingClient = hasDepth(options) && options.unsigned !== true ? createClient(options) : undefined
  const unsignedClient =
    baseUrl === undefined
      ? undefined
      : createClient({
          environment: 'mainnet',
          baseUrl,
          unsigned: true,
          priceBaseUrl: options.priceBaseUrl,
          requestTimeout: limit,
          connectTimeout: limit,
        })
  const client = signingClient ?? createClient(priceOptions)
  return {
    priceHttp: { url: new URL(String(options.priceBaseUrl)), flag: isGateway ? 'gateway' : 'priceBaseUrl' },
    priceSocket: {
      url: new URL(configure(options, node).priceWsUrl),
      flag: isGateway ? 'gateway' : socketFlag(options),
    },
    relayer:
      baseUrl === undefined ? undefined : { url: new URL(baseUrl), flag: isGateway ? 'gateway' : 'baseUrl' },
    isTestnet,
    client,
    signingClient,
    unsignedClient,
    ...checkedToken,
    limit,
    close: async () => {
      await Promise.all([client.close(), signingClient?.close(), unsignedClient?.close()])
    },
  }
}

/** Without an address of its own, the WebSocket's is derived from --price-base-url. */
const socketFlag = ({ priceWsUrl }: ClientOptions): DeploymentFlagName =>
  priceWsUrl === undefined ? 'priceBaseUrl' : 'priceWsUrl'

export const allInterfaces = ({ priceHttp, priceSocket, relayer }: Target): readonly Interface[] => [
  priceHttp,
  priceSocket,
  ...(relayer === undefined ? [] : [relayer]),
]
