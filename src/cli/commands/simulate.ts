import { timer } from 'rxjs'
import { isAddress, type Address } from '../../base/domain/topic.js'
import {
  recordedMarket,
  SimulatorError,
  startSimulator,
  type Faults,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator/index.js'
import { flagName } from '../target/source-flags.js'
import { summaryText } from '../io.js'
import {
  Flag,
  numberFlag,
  onlyGiven,
  parsedFlag,
  parseDuration,
  parseJson,
  parseNumber,
  textFlag,
  toggle,
  usageError,
  type Values,
} from '../target/parse-flags.js'
import { interrupted } from '../stop.js'
import { variableText } from '../target/select-tokens.js'
import { defineCommand } from './shared/parts.js'
import { InvalidArgumentError } from 'commander'
import { plainObject } from '../../base/option-kinds/option.js'
import { integerOption, type NumberOption } from '../../base/option-kinds/number-option.js'
import { seedOption, tickOption } from '../../simulator/market/random-walk.js'
import { speedOption } from '../../simulator/market/recorded-market.js'
import { simulatorTable } from '../../simulator/options.js'

const examples = `
Examples:
  $ npx svc-streams simulate
      Repeat five recorded minutes of ETH and BTC.
  $ npx svc-streams simulate --token 0xaa 0xbb --tick 50 --seed 7
      Simulate two tokens with random walks: twenty prices per second each, the same in every run.
  $ npx svc-streams simulate --faults '{"stall":true}' --faults-after 30s
      Stop to answer and to publish prices after 30 seconds.

The command prints environment variables. Paste them into another terminal, and start your program there.`

/** A flag of one market. It has no default for commander: a flag that is given selects its market. */
const marketFlag = (flags: string, help: string, described: NumberOption) =>
  parsedFlag(flags, `${help} (default: ${described.default})`, parseNumber(described))

const marketKind = new Flag<'recorded' | 'walk' | undefined>(
  '--market <kind>',
  'source of prices (default: recorded)',
).choices(['recorded', 'walk'])

/** Appends an address. The flag may be repeated, and may take several addresses. */
export const addresses = (text: string, previous: readonly Address[] = []): readonly Address[] => {
  if (isAddress(text)) return [...previous, text]
  throw new InvalidArgumentError('Give a contract address: 0x and hex digits.')
}

/** Parses the argument of `--faults`. The simulator checks the faults themselves. */
const parseFaults = (text: string): Faults => {
  const value = parseJson(text)
  if (plainObject.holds(value)) return value as Faults
  throw new InvalidArgumentError('Give a JSON object like {"httpStatus":503}.')
}

const flags = {
  httpPort: numberFlag(
    '--http-port <port>',
    'port of the relayer API and of prices over HTTP; 0 picks a free port',
    simulatorTable.httpPort,
  ),
  wsPort: numberFlag(
    '--ws-port <port>',
    'port of live prices over WebSocket; 0 picks a free port',
    simulatorTable.wsPort,
  ),
  authKey: textFlag('--auth-key <base64>', 'key of the signatures of depth requests (default: a random key)'),
  market: marketKind,
  speed: marketFlag(
    '--speed <factor>',
    'recorded: playback speed as a factor; 10 is ten times as fast as recorded',
    speedOption,
  ),
  token: parsedFlag(
    '--token <address...>',
    'walk: tokens (default: ETH and BTC); implies --market walk',
    addresses,
  ),
  tick: marketFlag(
    '--tick <ms>',
    'walk: interval between prices of the random walk, in ms; implies --market walk',
    tickOption,
  ),
  seed: marketFlag(
    '--seed <n>',
    'walk: seed of the random walk; the same seed gives the same prices; implies --market walk',
    integerOption({ min: 0, max: Number.MAX_SAFE_INTEGER, default: seedOption.default }),
  ),
  cors: toggle('--cors', 'allow pages of any origin to read the responses'),
  faults: parsedFlag(
    '--faults <json>',
    'faults of the service, as the option of startSimulator',
    parseFaults,
  ),
  faultsAfter: parsedFlag(
    '--faults-after <duration>',
    'time until the faults begin (default: none)',
    parseDuration,
  ),
}

type SimulateFlags = Values<typeof flags>

export const createCommand = defineCommand({
  examples,
  flags,
  action: async (io, _command, given) => {
    const { httpPort, wsPort, authKey, cors = false, faults, faultsAfter, ...market } = given
    if (faultsAfter !== undefined && faults === undefined)
      return usageError('--faults-after: add --faults, the faults that begin then')
    const options = { httpPort, wsPort, cors, ...onlyGiven({ authKey, faults }), ...marketOptions(market) }
    const simulator = await startSimulator(options).catch((error: unknown) => fail(given, error))
    // Checked at the start also if they begin later: an invalid fault is an error of the command.
    if (faultsAfter !== undefined) simulator.inject({})
    const begin = () => simulator.inject(faults ?? {})
    const schedule = faultsAfter === undefined ? undefined : timer(faultsAfter).subscribe(begin)
    const stop = interrupted(io)
    io.stdout.write(summary(simulator))
    await stop
    schedule?.unsubscribe()
    await simulator.close()
  },
})

export type MarketFlags = Partial<Pick<SimulateFlags, 'market' | 'speed' | 'token' | 'tick' | 'seed'>>

export const marketOptions = (
  flags: MarketFlags,
): Pick<SimulatorOptions, 'market' | 'tokens' | 'tick' | 'seed'> => {
  const { market, speed, token: tokens, tick, seed } = flags
  const walkFlag = (['token', 'tick', 'seed'] as const).find((flag) => flags[flag] !== undefined)
  const isWalk = (market ?? (walkFlag === undefined ? 'recorded' : 'walk')) === 'walk'
  if (isWalk && speed !== undefined)
    return usageError('--speed: applies only to the recorded market; remove it, or set --tick instead')
  if (!isWalk && walkFlag !== undefined)
    return usageError(`--${walkFlag}: applies only to the random walk; remove it, or set --market walk`)
  // With a seed, the simulator chooses the random walk.
  return isWalk
    ? { seed: seed ?? seedOption.default, ...onlyGiven({ tick, tokens }) }
    : { market: recordedMarket(onlyGiven({ speed })) }
}

/** A `SimulatorError` with a cause is a failure, such as a port in use. Any other is a usage error. */
const fail = ({ faults = {} }: SimulateFlags, error: unknown): never => {
  if (!(error instanceof SimulatorError)) throw error
  const flag = flagName(error.option === 'tokens' ? 'token' : error.option)
  const place = Object.hasOwn(faults, error.option) ? `--faults: ${error.option}` : flag
  const message = `${place}: ${error.problem}`
  if (error.cause !== undefined) throw new Error(message)
  return usageError(message)
}

const summary = ({ tokens, ...simulator }: Simulator): string =>
  summaryText(
    'A simulator of the service is running.',
    [
      ['SVC_BASE_URL', simulator.baseUrl],
      ['SVC_PRICE_BASE_URL', simulator.priceBaseUrl],
      ['SVC_PRICE_WS_URL', simulator.priceWsUrl],
      ['SVC_AUTH_KEY', simulator.authKey],
      ['SVC_TOKENS', tokens.map(variableText).join(',')],
    ],
    [`Tokens: ${tokens.map(({ symbol }) => symbol).join(', ')}`],
  )
