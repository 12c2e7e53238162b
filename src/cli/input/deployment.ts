import type { Command } from 'commander'
import { isLeft, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { configure } from '../../client/configuration.js'
import { node } from '../../platform/node.js'
import { createClient } from '../../client/on-node.js'
import type { ClientOptions } from '../../client/options.js'
import type { Environment } from '../../domain/environment.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { recordedMarket, startSimulator, type Token } from '../../simulator/index.js'
import { createDemonstration, type Demonstration } from '../demonstration/demonstration.js'
import { demonstrationMarket, rejectedToken } from '../demonstration/market.js'
import { resubscribe } from '../demonstration/resubscribe.js'
import { exitCodes } from '../run.js'
import { clientOptions, hasDepth, type DataKind } from './client-options.js'
import type { DeploymentFlags, ServerFlagName } from './deployment-flags.js'
import { flagErrorText } from './flag-error.js'
import { createNatsClients, natsHost, type NatsClients } from './nats-clients.js'
import { selectedFlags } from './selected-flags.js'

/** A client of the service that the flags of a command select. */
export interface Deployment {
  readonly client: PriceClient
  /** The same client, if it has depth. */
  readonly depthClient: Client | undefined
  /** Host and port of the price reporter's WebSocket, or of a NATS server. */
  readonly priceHost: string
  /** True for a simulator in this process. */
  readonly isSimulator: boolean
  /** The flag that selects another server than the service itself. */
  readonly serverFlag: ServerFlagName | undefined
  /** Tokens with known symbols: those of the simulator, by their addresses on mainnet. */
  readonly knownTokens: readonly Token[]
  /** Set if the simulator demonstrates faults. */
  readonly demonstration: Demonstration | undefined
  readonly close: () => Promise<void>
}

/** Calls `use` with the deployment that the flags select, then closes it. Invalid flags are a usage error. */
export const withDeployment = async (
  command: Command,
  dataKind: DataKind,
  use: (deployment: Deployment) => Promise<void>,
): Promise<void> => {
  const flags = selectedFlags(command)
  const deployment = isLeft(flags) ? flags : await openDeployment(flags.right, dataKind)
  if (isLeft(deployment)) return usageError(command, deployment.left)
  await use(deployment.right).finally(deployment.right.close)
}

/** Fails a command with the exit code of invalid arguments. */
export const usageError = (command: Command, problem: string): never =>
  command.error(`error: ${problem}`, { exitCode: exitCodes.usage })

const openDeployment = async (
  flags: DeploymentFlags,
  dataKind: DataKind,
): Promise<Either<string, Deployment>> =>
  flags.simulate === undefined ? openService(flags, dataKind) : openSimulator(flags, dataKind)

const openService = async (
  flags: DeploymentFlags,
  dataKind: DataKind,
): Promise<Either<string, Deployment>> => {
  const clients =
    flags.nats === undefined ? openAddresses(flags, dataKind) : await openNats(flags.nats, flags.environment)
  if (isLeft(clients)) return clients
  const knownTokens = flags.environment === 'mainnet' ? recordedMarket().tokens : []
  return right({
    ...clients.right,
    isSimulator: false,
    serverFlag: flags.nats !== undefined ? 'nats' : flags.gateway !== undefined ? 'gateway' : undefined,
    knownTokens,
    demonstration: undefined,
    close: () => clients.right.client.close(),
  })
}

type Clients = Pick<Deployment, 'client' | 'depthClient' | 'priceHost'>

const openNats = async (servers: string, environment: Environment): Promise<Either<string, Clients>> =>
  map((clients: NatsClients) => ({ ...clients, priceHost: natsHost(servers) }))(
    await createNatsClients(servers, environment),
  )

const openAddresses = (flags: DeploymentFlags, dataKind: DataKind): Either<string, Clients> => {
  const options = clientOptions(flags, dataKind)
  return isLeft(options) ? options : createClients(options.right)
}

const createClients = (options: ClientOptions): Either<string, Clients> => {
  try {
    const priceHost = new URL(configure(options, node).priceWsUrl).host
    if (!hasDepth(options)) return right({ client: createClient(options), depthClient: undefined, priceHost })
    const client = createClient(options)
    return right({ client, depthClient: client, priceHost })
  } catch (error) {
    if (error instanceof ConfigurationError) return left(flagErrorText(error))
    throw error
  }
}

const openSimulator = async (
  flags: DeploymentFlags,
  dataKind: DataKind,
): Promise<Either<string, Deployment>> => {
  const isDemonstration = flags.demo !== undefined
  const simulator = await startSimulator(isDemonstration ? { market: demonstrationMarket() } : {})
  const { baseUrl, priceBaseUrl, priceWsUrl, authKey, tokens } = simulator
  const deployment = await openService({ ...flags, baseUrl, priceBaseUrl, priceWsUrl, authKey }, dataKind)
  if (isLeft(deployment)) {
    await simulator.close()
    return deployment
  }
  const close = async () => {
    await deployment.right.close()
    await simulator.close()
  }
  const opened = { ...deployment.right, isSimulator: true, knownTokens: tokens, close }
  if (!isDemonstration) return right(opened)
  const demonstration = createDemonstration(simulator)
  return right({
    ...opened,
    ...resubscribe(opened, rejectedToken.address, demonstration.accepted$),
    knownTokens: [...tokens, rejectedToken],
    demonstration,
  })
}
