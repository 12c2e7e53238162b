import type { Command } from 'commander'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { createClient } from '../../client/create-client.js'
import type { ClientOptions } from '../../client/options.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { recordedMarket, startSimulator, type Token } from '../../simulator/index.js'
import { exitCodes } from '../run.js'
import { clientOptions, hasDepth, type Wanted } from './client-options.js'
import { configurationProblem } from './configuration-problem.js'
import { contradiction, type DeploymentFlags } from './deployment-flags.js'

/** The service that a command asks. */
export interface Deployment {
  readonly client: PriceClient
  /** The same client, where it has depth. */
  readonly depths: Client | undefined
  /** Whether it is a simulator in this process. */
  readonly simulated: boolean
  /** The tokens that the simulator knows; real ones, by their addresses on mainnet. */
  readonly known: readonly Token[]
  readonly close: () => Promise<void>
}

/** Uses the deployment that the command's flags name, and closes it. It is a misuse where they name none. */
export const withDeployment = async (
  command: Command,
  wanted: Wanted,
  use: (deployment: Deployment) => Promise<void>,
): Promise<void> => {
  const problem = contradiction(command)
  const deployment = problem === undefined ? await connect(command.opts(), wanted) : left(problem)
  if (isLeft(deployment)) return misuse(command, deployment.left)
  await use(deployment.right).finally(deployment.right.close)
}

/** Ends a command as commander does where it was not asked as it must be. */
export const misuse = (command: Command, problem: string): never =>
  command.error(`error: ${problem}`, { exitCode: exitCodes.usage })

const connect = async (flags: DeploymentFlags, wanted: Wanted): Promise<Either<string, Deployment>> =>
  flags.simulate === undefined ? reach(flags, wanted) : simulate(flags, wanted)

const reach = (flags: DeploymentFlags, wanted: Wanted): Either<string, Deployment> => {
  const options = clientOptions(flags, wanted)
  if (isLeft(options)) return options
  const clients = open(options.right)
  if (isLeft(clients)) return clients
  const known = flags.environment === 'mainnet' ? recordedMarket().tokens : []
  const close = () => clients.right.client.close()
  return right({ ...clients.right, simulated: false, known, close })
}

const open = (options: ClientOptions): Either<string, Pick<Deployment, 'client' | 'depths'>> => {
  try {
    if (!hasDepth(options)) return right({ client: createClient(options), depths: undefined })
    const client = createClient(options)
    return right({ client, depths: client })
  } catch (error) {
    if (error instanceof ConfigurationError) return left(configurationProblem(error))
    throw error
  }
}

const simulate = async (flags: DeploymentFlags, wanted: Wanted): Promise<Either<string, Deployment>> => {
  const simulator = await startSimulator()
  const { baseUrl, priceBaseUrl, priceWsUrl, authKey, tokens: known } = simulator
  const reached = reach({ ...flags, baseUrl, priceBaseUrl, priceWsUrl, authKey }, wanted)
  if (isLeft(reached)) {
    await simulator.close()
    return reached
  }
  const close = async () => {
    await reached.right.close()
    await simulator.close()
  }
  return right({ ...reached.right, simulated: true, known, close })
}
