import { type Command, Option } from 'commander'
import { integerOption, type NumberOption } from '../../option-kinds/number-option.js'
import { SimulatorError, startSimulator, type Simulator } from '../../simulator/index.js'
import { seedOption, tickOption } from '../../simulator/market/random-walk.js'
import { speedOption } from '../../simulator/market/recorded-market.js'
import { simulatorTable } from '../../simulator/option-table.js'
import { addresses } from '../input/arguments.js'
import { usageError } from '../input/deployment.js'
import { flagName } from '../input/flag-error.js'
import { marketOptions, type MarketFlags } from '../input/market-options.js'
import { helpText, numberFlag, parseNumber } from '../input/number-flag.js'
import { interrupted } from '../stop.js'
import { createCommand } from './create-command.js'

/** The flags, as commander names and parses them. */
interface SimulateFlags extends MarketFlags {
  readonly httpPort: number
  readonly wsPort: number
  readonly authKey?: string
}

const examples = `
Examples:
  $ svc-streams simulate
      Repeat five recorded minutes of ETH and BTC.
  $ svc-streams simulate --speed 10
      Repeat them ten times as fast.
  $ svc-streams simulate --token 0xaa 0xbb --tick 50 --seed 7
      Simulate two tokens with random walks: twenty prices per second each, the same in every run.
  $ svc-streams simulate --http-port 3000 --ws-port 4000 --auth-key AAECAwQFBgcICQoLDA0ODw
      Use fixed ports and a fixed key.

The command prints environment variables. Paste them into another terminal, and start your program there:
SVC_BASE_URL (signed depth), SVC_PRICE_BASE_URL (prices over HTTP), SVC_PRICE_WS_URL (live prices), SVC_AUTH_KEY (the
key of depth requests) and SVC_TOKENS (the listed tokens).`

/** `svc-streams simulate`: a local simulator of the service until Ctrl-C. */
export const simulateCommand = (): Command => {
  const command = createCommand('simulate', 'Run a local simulator of the service.', examples)
    .addOption(numberFlag('--http-port <port>', simulatorTable.httpPort))
    .addOption(numberFlag('--ws-port <port>', simulatorTable.wsPort))
    .option('--auth-key <base64>', 'key that depth requests must be signed with (default: a random one)')
    .addOption(
      new Option('--market <kind>', 'source of prices (default: recorded)').choices(['recorded', 'walk']),
    )
    .addOption(marketFlag('--speed <factor>', 'recorded', speedOption))
    .option('--token <address...>', 'walk: tokens (default: ETH and BTC); implies --market walk', addresses)
    .addOption(marketFlag('--tick <ms>', 'walk', tickOption))
    .addOption(marketFlag('--seed <n>', 'walk', integerOption({ ...seedOption, min: 0 })))
  return command.action(async (flags: SimulateFlags) => {
    const simulator = await start(flags).catch((error: unknown) => fail(command, error))
    const stop = interrupted()
    process.stdout.write(summary(simulator))
    await stop
    await simulator.close()
  })
}

/** A flag of one market. It has no default for commander: a flag that is given selects its market. */
const marketFlag = (
  flags: string,
  market: 'recorded' | 'walk',
  described: NumberOption & { readonly default: number },
): Option => {
  const help = `${market}: ${helpText(described)} (default: ${described.default})`
  const flag = new Option(flags, market === 'walk' ? `${help}; implies --market walk` : help)
  return flag.argParser(parseNumber(described))
}

const start = async ({ httpPort, wsPort, authKey, ...market }: SimulateFlags): Promise<Simulator> =>
  startSimulator({
    httpPort,
    wsPort,
    ...(authKey === undefined ? {} : { authKey }),
    ...marketOptions(market),
  })

/** A `SimulatorError` with a cause is a failure, such as a port in use. Any other is a usage error. */
const fail = (command: Command, error: unknown): never => {
  if (!(error instanceof SimulatorError)) throw error
  const message = `${flagName(error.option === 'tokens' ? 'token' : error.option)}: ${error.problem}`
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
export SVC_TOKENS=${tokens.map(({ address }) => address).join(',')}
# Press Ctrl-C to stop it, and again to stop it immediately.
`
