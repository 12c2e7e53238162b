import { InvalidArgumentError, Option, type Command } from 'commander'
import { integerOption, type NumberOption } from '../../base/option-kinds/number-option.js'
import { seedOption, tickOption } from '../../simulator/market/random-walk.js'
import { speedOption } from '../../simulator/market/recorded-market.js'
import { simulatorTable } from '../../simulator/options.js'
import type { Faults } from '../../simulator/index.js'
import { numberFlag, parseDuration, parseNumber } from '../target/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand, lazyAction } from './shared/parts.js'

const examples = `
Examples:
  $ npx svc-streams simulate
      Repeat five recorded minutes of ETH and BTC.
  $ npx svc-streams simulate --speed 10
      Repeat them ten times as fast.
  $ npx svc-streams simulate --token 0xaa 0xbb --tick 50 --seed 7
      Simulate two tokens with random walks: twenty prices per second each, the same in every run.
  $ npx svc-streams simulate --http-port 3000 --ws-port 4000 --auth-key AAECAwQFBgcICQoLDA0ODw
      Use fixed ports and a fixed key.
  $ npx svc-streams simulate --faults '{"stall":true}' --faults-after 30s
      Stop to answer and to publish prices after 30 seconds.

The command prints environment variables. Paste them into another terminal, and start your program there:
SVC_BASE_URL (signed depth), SVC_PRICE_BASE_URL (prices over HTTP), SVC_PRICE_WS_URL (live prices), SVC_AUTH_KEY (the
key of depth requests) and SVC_TOKENS (the listed tokens).`

export const simulateCommand = (io: Io): Command =>
  createCommand(io, 'simulate', 'Run a local simulator of the service.', examples)
    .addOption(
      numberFlag(
        '--http-port <port>',
        'port of the relayer API and of prices over HTTP; 0 picks a free port',
        simulatorTable.httpPort,
      ),
    )
    .addOption(
      numberFlag(
        '--ws-port <port>',
        'port of live prices over WebSocket; 0 picks a free port',
        simulatorTable.wsPort,
      ),
    )
    .option('--auth-key <base64>', 'key of the signatures of depth requests (default: a random key)')
    .addOption(
      new Option('--market <kind>', 'source of prices (default: recorded)').choices(['recorded', 'walk']),
    )
    .addOption(
      marketFlag(
        '--speed <factor>',
        'recorded',
        'playback speed as a factor; 10 is ten times as fast as recorded',
        speedOption,
      ),
    )
    .option('--token <address...>', 'walk: tokens (default: ETH and BTC); implies --market walk', addresses)
    .addOption(
      marketFlag('--tick <ms>', 'walk', 'interval between prices of the random walk, in ms', tickOption),
    )
    .addOption(
      marketFlag(
        '--seed <n>',
        'walk',
        'seed of the random walk; the same seed gives the same prices',
        integerOption({ min: 0, max: Number.MAX_SAFE_INTEGER, default: seedOption.default }),
      ),
    )
    .option('--cors', 'allow pages of any origin to read the responses')
    .option('--faults <json>', 'faults of the service, as the option of startSimulator', parseFaults)
    .option('--faults-after <duration>', 'time until the faults begin (default: none)', parseDuration)
    .action(lazyAction(io, async () => (await import('../actions/simulate.js')).simulate))

/** A flag of one market. It has no default for commander: a flag that is given selects its market. */
const marketFlag = (
  flags: string,
  market: 'recorded' | 'walk',
  help: string,
  described: NumberOption & { readonly default: number },
): Option => {
  const implied = market === 'walk' ? '; implies --market walk' : ''
  const flag = new Option(flags, `${market}: ${help} (default: ${described.default})${implied}`)
  return flag.argParser(parseNumber(described))
}

/** Appends an address. The flag may be repeated, and may take several addresses. */
export const addresses = (text: string, previous: readonly string[] = []): readonly string[] => {
  if (/^0x[0-9a-f]+$/i.test(text)) return [...previous, text]
  throw new InvalidArgumentError('Give a contract address: 0x and hex digits.')
}

/** Parses the argument of `--faults`. The simulator checks the faults themselves. */
const parseFaults = (text: string): Faults => {
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new InvalidArgumentError('Give a JSON object like {"httpStatus":503}.')
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
