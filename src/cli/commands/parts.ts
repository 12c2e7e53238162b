import { Argument, Command, Option, type OutputConfiguration } from 'commander'
import { timerOption } from '../../option-kinds/number-option.js'
import { numberFlag, parseDuration } from '../input/parse-flags.js'
import { addDeploymentFlags } from '../input/source-flags.js'
import type { Io } from '../io.js'

// Parts that several commands have in common.

/** A command with the help that all commands have in common. `examples` follows the list of options. */
export const createCommand = (io: Io, name: string, description: string, examples: string): Command =>
  new Command(name)
    .configureOutput(outputOf(io))
    .description(description)
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError(`Try: svc-streams ${name} --help`)

/** Where commander prints the help and the errors of a command. */
export const outputOf = (io: Io): OutputConfiguration => ({
  writeOut: (text) => io.stdout.write(text),
  writeErr: (text) => io.stderr.write(text),
})

/** The text format of prices, for the help of commands. `formatPrice` implements it. */
export const priceHelp = `\
Prices are in USD, in plain decimal notation: 4 decimals from 10 USD, 6 decimals below, and 6 significant digits below
0.1 USD. With --json, numbers are exact.`

/** The arguments of commands, in the help. */
export const tokenHelp = 'symbol, contract address, 0x…, or topic, svc-0x…'
export const tokensHelp = 'symbols, contract addresses, 0x…, or topics, svc-0x…'

export const backtestFilesHelp = 'recordings, plain or gzip, and last the module of the strategy'

export const tokensFlag = (): Option =>
  new Option('--tokens <file>', 'symbols, as JSON: { SYMBOL: { address, decimals } }')

export const intervalFlag = (): Option =>
  numberFlag('--interval <ms>', 'interval between depth requests, in ms', timerOption({ default: 1000 }))

/** The flags of a command that streams until it is stopped, as commander names and parses them. */
export interface StreamFlags {
  /** In ms. */
  readonly interval: number
  /** In ms. */
  readonly duration?: number
  readonly depth: boolean
}

/** Adds the tokens, the flags above and those of the deployment to a command. */
export const addStreamFlags = (command: Command): Command =>
  addDeploymentFlags(
    command
      .addArgument(
        new Argument(
          '[token...]',
          `${tokensHelp} (default: those of SVC_TOKENS, or all of --tokens; with --simulate, ETH and BTC)`,
        ),
      )
      .addOption(tokensFlag())
      .addOption(intervalFlag())
      .option(
        '--duration <duration>',
        'stop after this time: a number of seconds, or 30s, 15m, 1h, 1d, …',
        parseDuration,
      )
      .option('--no-depth', 'request prices only'),
  )
