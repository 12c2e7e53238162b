import type { Command } from 'commander'
import { Subscription, timer } from 'rxjs'
import { SimulatorError, startSimulator, type Faults, type Simulator } from '../../simulator/index.js'
import { usageError } from '../input/deployment.js'
import { flagName } from '../input/flag-error.js'
import { marketOptions, type MarketFlags } from '../input/market-options.js'
import { interrupted } from '../stop.js'
import { variableText } from '../tokens/tokens-variable.js'

/** The flags, as commander names and parses them. */
export interface SimulateFlags extends MarketFlags {
  readonly httpPort: number
  readonly wsPort: number
  readonly authKey?: string
  readonly cors?: boolean
  readonly faults?: Faults
  /** In ms. */
  readonly faultsAfter?: number
}

/** Runs a simulator until the user stops the command. */
export const simulate = async (command: Command, flags: SimulateFlags): Promise<void> => {
  const simulator = await start(flags).catch((error: unknown) => fail(command, flags, error))
  const schedule = scheduleFaults(simulator, flags)
  const stop = interrupted()
  process.stdout.write(summary(simulator))
  await stop
  schedule.unsubscribe()
  await simulator.close()
}

const start = async ({
  httpPort,
  wsPort,
  authKey,
  cors = false,
  faults,
  ...market
}: SimulateFlags): Promise<Simulator> =>
  startSimulator({
    httpPort,
    wsPort,
    cors,
    ...(authKey === undefined ? {} : { authKey }),
    // Also if they begin later: an invalid fault is an error of the command.
    ...(faults === undefined ? {} : { faults }),
    ...marketOptions(market),
  })

/** Removes the faults, and injects them after the time of the flag. */
const scheduleFaults = (simulator: Simulator, { faults, faultsAfter }: SimulateFlags): Subscription => {
  if (faults === undefined || faultsAfter === undefined) return Subscription.EMPTY
  simulator.inject({})
  return timer(faultsAfter).subscribe(() => simulator.inject(faults))
}

/** A `SimulatorError` with a cause is a failure, such as a port in use. Any other is a usage error. */
const fail = (command: Command, { faults = {} }: SimulateFlags, error: unknown): never => {
  if (!(error instanceof SimulatorError)) throw error
  const flag = flagName(error.option === 'tokens' ? 'token' : error.option)
  const place = Object.hasOwn(faults, error.option) ? `--faults: ${error.option}` : flag
  const message = `${place}: ${error.problem}`
  if (error.cause !== undefined) throw new Error(message)
  return usageError(command, message)
}

const summary = ({ tokens, ...simulator }: Simulator): string => `\
# A simulator of the service is running. Paste these lines into another terminal, and start your program there.
export SVC_BASE_URL=${simulator.baseUrl}
export SVC_PRICE_BASE_URL=${simulator.priceBaseUrl}
export SVC_PRICE_WS_URL=${simulator.priceWsUrl}
export SVC_AUTH_KEY=${simulator.authKey}
# ${tokens.map(({ symbol }) => symbol).join(', ')}
export SVC_TOKENS=${tokens.map(variableText).join(',')}
# Press Ctrl-C to stop it, and again to stop it immediately.
`
