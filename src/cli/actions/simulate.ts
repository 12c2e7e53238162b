import type { Command } from 'commander'
import { Subscription, timer } from 'rxjs'
import type { Address } from '../../base/domain/address.js'
import {
  recordedMarket,
  SimulatorError,
  startSimulator,
  type Faults,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator/index.js'
import { seedOption } from '../../simulator/market/random-walk.js'
import { flagName } from '../target/source-flags.js'
import { setVariables, type Io } from '../io.js'
import { usageError } from '../run.js'
import { interrupted } from '../stop.js'
import { variableText } from '../target/select-tokens.js'

interface SimulateFlags extends MarketFlags {
  readonly httpPort: number
  readonly wsPort: number
  readonly authKey?: string
  readonly cors?: boolean
  readonly faults?: Faults
  /** In ms. */
  readonly faultsAfter?: number
}

export const simulate = async (io: Io, command: Command, flags: SimulateFlags): Promise<void> => {
  const simulator = await start(flags).catch((error: unknown) => fail(command, flags, error))
  const schedule = scheduleFaults(simulator, flags)
  const stop = interrupted(io)
  io.stdout.write(summary(io, simulator))
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
    // Checked also if they begin later: an invalid fault is an error of the command.
    ...(faults === undefined ? {} : { faults }),
    ...marketOptions(market),
  })

export interface MarketFlags {
  readonly market?: 'recorded' | 'walk'
  readonly speed?: number
  readonly token?: readonly Address[]
  readonly tick?: number
  readonly seed?: number
}

/** The simulator options of the flags. Throws a `SimulatorError` for flags that exclude each other. */
export const marketOptions = (
  flags: MarketFlags,
): Pick<SimulatorOptions, 'market' | 'tokens' | 'tick' | 'seed'> => {
  const { market, speed, token: tokens, tick, seed } = flags
  const walkFlag = (['token', 'tick', 'seed'] as const).find((flag) => flags[flag] !== undefined)
  const isWalk = (market ?? (walkFlag === undefined ? 'recorded' : 'walk')) === 'walk'
  if (isWalk && speed !== undefined) {
    throw new SimulatorError('speed', 'applies only to the recorded market; remove it, or set --tick instead')
  }
  if (!isWalk && walkFlag !== undefined) {
    throw new SimulatorError(walkFlag, 'applies only to the random walk; remove it, or set --market walk')
  }
  if (!isWalk) return { market: recordedMarket(speed === undefined ? {} : { speed }) }
  return {
    // With a seed, the simulator chooses the random walk.
    seed: seed ?? seedOption.default,
    ...(tick === undefined ? {} : { tick }),
    ...(tokens === undefined ? {} : { tokens }),
  }
}

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

const summary = (io: Io, { tokens, ...simulator }: Simulator): string => `\
# A simulator of the service is running. Paste these lines into another terminal, and start your program there.
${setVariables(io, [
  ['SVC_BASE_URL', simulator.baseUrl],
  ['SVC_PRICE_BASE_URL', simulator.priceBaseUrl],
  ['SVC_PRICE_WS_URL', simulator.priceWsUrl],
  ['SVC_AUTH_KEY', simulator.authKey],
  ['SVC_TOKENS', tokens.map(variableText).join(',')],
]).join('\n')}
# Tokens: ${tokens.map(({ symbol }) => symbol).join(', ')}
# Press Ctrl-C to stop it, and again to stop it immediately.
`
