import type { Command } from 'commander'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { configure } from '../../client/configuration.js'
import { node } from '../../platform/node.js'
import { createClient } from '../../client/on-node.js'
import type { ClientOptions } from '../../client/options.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { recordedMarket, startSimulator, type Token } from '../../simulator/index.js'
import { createDemonstration, type Demonstration } from '../demonstration/demonstration.js'
import { demonstrationMarket, rejectedToken } from '../demonstration/market.js'
import { resubscribe } from '../demonstration/resubscribe.js'
import { exitCodes } from '../run.js'
import { clientOptions, hasDepth, type DataKind } from './client-options.js'
import type { DeploymentFlags } from './deployment-flags.js'
import { flagErrorText } from './flag-error.js'
import { selectedFlags } from './selected-flags.js'

/** A client of the service that the flags of a command select. */
export interface Deployment {
  readonly client: PriceClient
  /** The same client, if it has depth. */
  readonly depthClient: Client | undefined
  /** Host and port of the price reporter's WebSocket. */
  readonly priceHost: string
  /** True for a simulator in this process. */
  readonly isSimulator: boolean
  /** True if `--gateway` selects it. */
  readonly isGateway: boolean
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

const openService = (flags: DeploymentFlags, dataKind: DataKind): Either<string, Deployment> => {
  const options = clientOptions(flags, dataKind)
  if (isLeft(options)) return options
  const clients = createClients(options.right)
  if (isLeft(clients)) return clients
  const knownTokens = flags.environment === 'mainnet' ? recordedMarket().tokens : []
  const close = () => clients.right.client.close()
  const isGateway = flags.gateway !== undefined
  return right({
    ...clients.right,
    isSimulator: false,
    isGateway,
    knownTokens,
    demonstration: undefined,
    close,
  })
}

const createClients = (
  options: ClientOptions,
): Either<string, Pick<Deployment, 'client' | 'depthClient' | 'priceHost'>> => {
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
  const deployment = openService({ ...flags, baseUrl, priceBaseUrl, priceWsUrl, authKey }, dataKind)
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
