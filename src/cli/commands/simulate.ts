import { Command, Option } from 'commander'
import { SimulatorError, startSimulator, type Simulator } from '../../simulator/index.js'
import { addresses, positiveNumber, wholeNumber } from '../input/arguments.js'
import { interrupted } from '../interrupt.js'
import { exitCodes } from '../run.js'
import { chooseMarket, type MarketFlags } from './simulate-market.js'

/** The flags, as commander names and parses them. */
interface SimulateFlags extends MarketFlags {
  readonly httpPort: number
  readonly wsPort: number
  readonly authKey?: string
}

const examples = `
Examples:
  $ svc-streams simulate
      ETH and BTC as they were traded during five recorded minutes, over and over.
  $ svc-streams simulate --speed 10
      The same, ten times as fast.
  $ svc-streams simulate --token 0xaa 0xbb --tick 50 --seed 7
      Two tokens of your own that walk at random, twenty prices a second each, the same in every run.
  $ svc-streams simulate --http-port 3000 --ws-port 4000 --auth-key AAECAwQFBgcICQoLDA0ODw
      At addresses and with a key that stay the same.

It prints environment variables: paste them into another terminal, and start your program there. The service then is
at SVC_BASE_URL (signed depth), SVC_PRICE_BASE_URL (prices over HTTP) and SVC_PRICE_WS_URL (live prices), takes depth
requests that are signed with SVC_AUTH_KEY, and knows the tokens of SVC_TOKENS.`

/** `svc-streams simulate`: the service on this machine, until Ctrl-C. */
export const simulateCommand = (): Command => {
  const command = new Command('simulate')
    .description('Run the service on this machine, to try things out against.')
    .option('--http-port <port>', 'where HTTP listens; 0 picks a free port', wholeNumber(0, 65_535), 0)
    .option('--ws-port <port>', 'where WebSocket listens; 0 picks a free port', wholeNumber(0, 65_535), 0)
    .option('--auth-key <base64>', 'the key that depth requests are signed with (default: a random one)')
    .addOption(
      new Option('--market <kind>', 'where prices come from (default: recorded)').choices([
        'recorded',
        'walk',
      ]),
    )
    .option('--speed <factor>', 'recorded: times faster than it was (default: 1)', positiveNumber(1000))
    .option('--token <address...>', 'walk: the tokens (default: ETH and BTC); implies walk', addresses)
    .option(
      '--tick <ms>',
      'walk: from price to price (default: 250); implies walk',
      wholeNumber(1, 2 ** 31 - 1),
    )
    .option(
      '--seed <n>',
      'walk: same seed, same prices (default: 1); implies walk',
      wholeNumber(0, 2 ** 53 - 1),
    )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError('Try: svc-streams simulate --help')
  return command.action(async (flags: SimulateFlags) => {
    const simulator = await start(flags).catch((error: unknown) => refuse(command, error))
    const stop = interrupted()
    process.stdout.write(summary(simulator))
    await stop
    await simulator.close()
  })
}

const start = async ({ httpPort, wsPort, authKey, ...market }: SimulateFlags): Promise<Simulator> =>
  startSimulator({ httpPort, wsPort, ...(authKey === undefined ? {} : { authKey }), ...chooseMarket(market) })

/** A port that is taken is the world's doing; all else that the simulator refuses was asked wrongly. */
const refuse = (command: Command, error: unknown): never => {
  if (!(error instanceof SimulatorError)) throw error
  const message = `${flagOf(error.option)}: ${error.problem}`
  if (error.cause !== undefined) throw new Error(message)
  return command.error(`error: ${message}`, { exitCode: exitCodes.usage })
}

/** The simulator's option as the command line spells it. */
const flagOf = (option: string): string =>
  option === 'tokens' ? '--token' : `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const summary = ({ tokens, ...simulator }: Simulator): string => `\
# The service runs on this machine. Paste these lines into another terminal, and start your program there.
export SVC_BASE_URL=${simulator.baseUrl}
export SVC_PRICE_BASE_URL=${simulator.priceBaseUrl}
export SVC_PRICE_WS_URL=${simulator.priceWsUrl}
export SVC_AUTH_KEY=${simulator.authKey}
# ${tokens.map(({ symbol }) => symbol).join(', ')}
export SVC_TOKENS=${tokens.map(({ address }) => address).join(',')}
# Ctrl-C stops it; a second Ctrl-C does so at once.
`
