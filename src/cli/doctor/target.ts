import { isLeft, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { createClient } from '../../client/on-node.js'
import type { ClientOptions, UnsignedClientOptions } from '../../client/options.js'
import { defaultService, type Topic } from '../../base/domain/topic.js'
import type { TokenOptions } from '../../simulator/index.js'
import { eth } from '../../simulator/market/token-options.js'
import { createNatsClients, loadNats, missingPackage, natsHost } from '../input/open-source.js'
import {
  clientOptions,
  configureFor,
  hasDepth,
  type GatewaySource,
  type NatsSource,
  type ServiceSource,
  type Source,
} from '../input/source.js'
import { deploymentFlags, withVariable, type DeploymentFlagName } from '../input/source-flags.js'
import type { NumberFormat } from '../output/terminal.js'

export interface Interface {
  readonly url: URL
  /** The flag with the address. */
  readonly flag: DeploymentFlagName
}

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
  /** The format of numbers in the results. */
  readonly grouped: NumberFormat
  readonly close: () => Promise<void>
}

export interface OptionsProblem {
  readonly problem: string
  readonly advice: string
}

/** The target of a source. Left: what is wrong with the flags. */
export const createTarget = async (
  source: Source,
  limit: number,
  grouped: NumberFormat,
): Promise<Either<OptionsProblem, Target>> => {
  const target =
    source._tag === 'Nats'
      ? await createNatsTarget(source, limit)
      : source._tag === 'Service' || source._tag === 'Gateway'
        ? createServerTarget(source, limit)
        : notConfigured
  return map((found: Omit<Target, 'grouped'>) => ({ ...found, grouped }))(target)
}

const notConfigured = left({
  problem: 'the service is not configured',
  advice: `Set ${(['priceBaseUrl', 'gateway', 'nats'] as const).map((name) => withVariable(deploymentFlags[name])).join(', or ')}, or add --simulate.`,
})

const invalid = (problem: string): Either<OptionsProblem, never> =>
  left({ problem, advice: 'Correct the flag or the environment variable.' })

const limitsOf = (limit: number) => ({
  requestTimeout: limit,
  connectTimeout: limit,
  confirmTimeout: limit,
  staleAfter: limit,
})

const createNatsTarget = async (
  source: NatsSource,
  limit: number,
): Promise<Either<OptionsProblem, Omit<Target, 'grouped'>>> => {
  if ((await loadNats()) === undefined) return left(missingPackage)
  const clients = await createNatsClients(source, limitsOf(limit))
  if (isLeft(clients)) return invalid(clients.left)
  const { client, depthClient } = clients.right
  // One interface for all: prices and depth come over the same connection.
  const nats: Interface = { url: new URL(`nats://${natsHost(source.servers)}`), flag: 'nats' }
  return right({
    ...checkedToken,
    priceHttp: nats,
    priceSocket: nats,
    relayer: depthClient === undefined ? undefined : nats,
    isTestnet: source.environment === 'testnet',
    client,
    signingClient: undefined,
    unsignedClient: depthClient,
    limit,
    close: () => client.close(),
  })
}

const checkedToken: Pick<Target, 'token' | 'topic'> = {
  token: eth,
  topic: `${defaultService}-${eth.address}`,
}

const createServerTarget = (
  source: ServiceSource | GatewaySource,
  limit: number,
): Either<OptionsProblem, Omit<Target, 'grouped'>> => {
  const withPrices = clientOptions(source, 'prices')
  const withDepth = clientOptions(source, 'both')
  if (isLeft(withPrices) || isLeft(withDepth)) return notConfigured
  const prices: ClientOptions = { ...withPrices.right, ...limitsOf(limit) }
  const options: ClientOptions = { ...withDepth.right, ...limitsOf(limit) }
  const isTestnet = source.environment !== 'mainnet'
  const isGateway = source._tag === 'Gateway'
  // Without a key, the options of a service have no baseUrl.
  const baseUrl = isTestnet ? undefined : isGateway ? source.url : source.baseUrl
  const unsigned: UnsignedClientOptions | undefined =
    baseUrl === undefined
      ? undefined
      : {
          environment: 'mainnet',
          baseUrl,
          unsigned: true,
          priceBaseUrl: options.priceBaseUrl,
          requestTimeout: limit,
          connectTimeout: limit,
        }
  const configuration = configureFor(source._tag, options)
  if (isLeft(configuration)) return invalid(configuration.left)
  const checked = unsigned === undefined ? configuration : configureFor(source._tag, unsigned)
  if (isLeft(checked)) return invalid(checked.left)
  const signingClient = hasDepth(options) && options.unsigned !== true ? createClient(options) : undefined
  const unsignedClient = unsigned === undefined ? undefined : createClient(unsigned)
  const client = signingClient ?? createClient(prices)
  const interfaceOf = (url: string, flag: DeploymentFlagName): Interface => ({
    url: new URL(url),
    flag: isGateway ? 'gateway' : flag,
  })
  return right({
    priceHttp: interfaceOf(String(options.priceBaseUrl), 'priceBaseUrl'),
    priceSocket: interfaceOf(configuration.right.priceWsUrl, socketFlag(options)),
    relayer: baseUrl === undefined ? undefined : interfaceOf(baseUrl, 'baseUrl'),
    isTestnet,
    client,
    signingClient,
    unsignedClient,
    ...checkedToken,
    limit,
    close: async () => {
      await Promise.all([client.close(), signingClient?.close(), unsignedClient?.close()])
    },
  })
}

/** Without --price-ws-url, the address of the WebSocket is derived from --price-base-url. */
const socketFlag = ({ priceWsUrl }: ClientOptions): DeploymentFlagName =>
  priceWsUrl === undefined ? 'priceBaseUrl' : 'priceWsUrl'

export const allInterfaces = ({ priceHttp, priceSocket, relayer }: Target): readonly Interface[] => [
  priceHttp,
  priceSocket,
  ...(relayer === undefined ? [] : [relayer]),
]
