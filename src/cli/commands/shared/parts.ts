import { Argument, Command, type OutputConfiguration } from 'commander'
import { timerOption } from '../../../base/option-kinds/number-option.js'
import type { Io } from '../../io.js'
import { docsUrl } from '../../manifest.js'
import {
  addFlags,
  numberFlag,
  parsedFlag,
  parseJson,
  textFlag,
  toggle,
  UsageError,
  type Flags,
  type Values,
} from '../../target/parse-flags.js'

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- read from the type alone
export class Arguments<A> extends Argument {
  /** Only for the type: no arguments have the field. */
  declare readonly given?: A
}

export const one = (name: string, help: string) => new Arguments<string>(name, help)

export const many = (name: string, help: string) => new Arguments<readonly string[]>(name, help)

interface Definition<A, F extends Flags> {
  /** Follows the list of options. */
  readonly examples: string
  /** The page of the documentation that has more, such as `operate/gateway.md`. */
  readonly guide?: string
  readonly arguments?: Arguments<A>
  readonly flags: F
  readonly action: (io: Io, command: Command, flags: Values<F>, given: A) => Promise<void> | undefined
}

export type CreateCommand = (io: Io, name: string, description: string) => Command

/** A command with the common help of all commands. */
export const defineCommand =
  <A, F extends Flags>({
    examples,
    guide,
    arguments: given,
    flags,
    action,
  }: Definition<A, F>): CreateCommand =>
  (io, name, description) => {
    const text = guide === undefined ? examples : `${examples}\n\nMore: ${docsUrl(guide)}`
    const command = new Command(name)
      .configureOutput(outputOf(io))
      .configureHelp(helpLayout)
      .description(description)
      .helpOption('-h, --help', 'print this help')
      .addHelpText('after', ({ command: shown }) => wrapHelp(shown, text, io.stdout))
      .showHelpAfterError(`Try: npx svc-streams ${name} --help`)
    if (given !== undefined) command.addArgument(given)
    addFlags(command, flags)
    return command.action(async () => {
      try {
        await action(io, command, command.opts<Values<F>>(), command.processedArgs[0] as A)
      } catch (thrown) {
        throw thrown instanceof UsageError ? command.error(`error: ${thrown.message}`) : thrown
      }
    })
  }

/** A text as wide as the terminal. Elsewhere, it is unchanged. */
export const wrapHelp = (command: Command, text: string, { isTTY, columns }: Io['stdout']): string =>
  command.createHelp().boxWrap(text, isTTY ? columns : Infinity)

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

export const tokensHelp = 'symbols, contract addresses, 0x…, or topics, svc-0x…'

export const tokensFlag = textFlag('--tokens <file>', 'symbols, as JSON: { SYMBOL: { address, decimals } }')

export const intervalFlag = numberFlag(
  '--interval <ms>',
  'interval between depth requests, in ms',
  timerOption({ default: 1000 }),
)

export const parameterFlag = parsedFlag(
  '--parameter <json>',
  'parameter of the strategy, as JSON (default: none)',
  parseJson,
)

export const eventsAsJson = toggle('--json', 'print each event as a JSON object, one per line')
