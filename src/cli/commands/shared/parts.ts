import { Command, Option, type OutputConfiguration } from 'commander'
import { portOption, timerOption } from '../../../base/option-kinds/number-option.js'
import { numberFlag, parseTime } from '../../target/parse-flags.js'
import { gatewayTable } from '../../../gateway/options.js'
import type { Io } from '../../io.js'

// Parts that several commands have in common.

/** A command with the common help of all commands. `examples` follows the list of options. */
export const createCommand = (io: Io, name: string, description: string, examples: string): Command =>
  new Command(name)
    .configureOutput(outputOf(io))
    .configureHelp(helpLayout)
    .description(description)
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', ({ command }) => wrapHelp(command, examples, io.stdout))
    .showHelpAfterError(`Try: npx svc-streams ${name} --help`)

/** A text as wide as the terminal. Elsewhere, it is unchanged. */
export const wrapHelp = (command: Command, text: string, { isTTY, columns }: Io['stdout']): string =>
  command.createHelp().boxWrap(text, isTTY ? columns : Infinity)

/** The handler of a command. Its action is loaded when the command runs, and gets the arguments and the flags. */
export const lazyAction =
  (io: Io, load: () => Promise<(io: Io, command: Command, ...given: never[]) => Promise<void>>) =>
  async (...given: readonly unknown[]): Promise<void> => {
    const action = await load()
    // The command follows them.
    await action(io, given.at(-1) as Command, ...(given.slice(0, -1) as never[]))
  }

/** Commander would not wrap the text beside the flags in a terminal of fewer than 70 columns. */
export const helpLayout = { minWidthToWrap: 20 } as const

/** Where commander prints the help and the errors of a command. */
export const outputOf = (io: Io): OutputConfiguration => ({
  writeOut: (text) => io.stdout.write(text),
  writeErr: (text) => io.stderr.write(text),
  getOutHelpWidth: () => (io.stdout.isTTY && io.stdout.columns > 0 ? io.stdout.columns : 80),
})

/** The text format of prices, for the help of commands. `formatPrice` implements it. */
export const priceHelp = `\
Prices are in USD, in plain decimal notation: 4 decimals from 10 USD, 6 decimals below, and 6 significant digits below
0.1 USD. On a terminal, they have commas. With --json, numbers are exact.`

/** The arguments of commands, in the help. */
export const tokensHelp = 'symbols, contract addresses, 0x…, or topics, svc-0x…'

export const tokensFlag = (): Option =>
  new Option('--tokens <file>', 'symbols, as JSON: { SYMBOL: { address, decimals } }')

export const intervalFlag = (): Option =>
  numberFlag('--interval <ms>', 'interval between depth requests, in ms', timerOption({ default: 1000 }))

export const fromFlag = (): Option =>
  new Option('--from <time>', 'play only events from this time on, ISO 8601 or Unix ms').argParser(parseTime)

export const toFlag = (): Option =>
  new Option('--to <time>', 'play only events before this time, ISO 8601 or Unix ms').argParser(parseTime)

/** Adds the flags of a server of metrics. */
export const addMetricsFlags = (command: Command): Command =>
  command
    .option('--metrics', 'serve GET /metrics for Prometheus on a port of its own')
    .addOption(
      numberFlag('--metrics-port <port>', 'port of --metrics; 0 picks a free port', metricsPort).implies({
        metrics: true,
      }),
    )
    .option(
      '--metrics-host <address>',
      'address of --metrics; 0.0.0.0 for other machines, too',
      gatewayTable.host.default,
    )

/** The port that exporters of OpenTelemetry for Prometheus have by default. */
const metricsPort = { ...portOption(), default: 9464 }
