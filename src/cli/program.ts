import { Command } from 'commander'
import { helpLayout, outputOf, wrapHelp, type CreateCommand } from './commands/shared/parts.js'
import type { Io } from './io.js'
import { version } from './manifest.js'

/** The commands, with their descriptions. Their modules are loaded when they are used, so that the list is fast. */
const commands: Readonly<
  Record<
    string,
    readonly [description: string, load: () => Promise<{ readonly createCommand: CreateCommand }>]
  >
> = {
  init: ['Write a project that runs: a strategy and its test.', () => import('./commands/init.js')],
  watch: ['Show live prices and order-book depth.', () => import('./commands/watch.js')],
  dashboard: ['Show live prices and depth in a browser.', () => import('./commands/dashboard.js')],
  price: ['Print one price, in USD.', () => import('./commands/price.js')],
  depth: ['Print the order-book depth of one token.', () => import('./commands/depth.js')],
  record: [
    'Record prices and depth, for svc-streams replay and for tests of strategies.',
    () => import('./commands/record.js'),
  ],
  replay: ['Show a recording made by svc-streams record.', () => import('./commands/replay.js')],
  import: ['Write a recording of prices from CSV, NDJSON or Parquet.', () => import('./commands/import.js')],
  export: ['Write a recording as Parquet or CSV.', () => import('./commands/export.js')],
  inspect: ['Summarise recordings, with their gaps and damage.', () => import('./commands/inspect.js')],
  backtest: ['Trade a strategy on paper over recordings.', () => import('./commands/backtest.js')],
  paper: ['Trade a strategy on paper, live.', () => import('./commands/paper.js')],
  sweep: ['Run a strategy with many parameters over a recording.', () => import('./commands/sweep.js')],
  verify: ['Compare a live run of a strategy with its replay.', () => import('./commands/verify.js')],
  simulate: ['Run a local simulator of the service.', () => import('./commands/simulate.js')],
  gateway: [
    'Serve prices and depth to other programs over one connection.',
    () => import('./commands/gateway.js'),
  ],
  doctor: ['Check the service: prices, depth, clock, key.', () => import('./commands/doctor.js')],
  completion: ['Print the completion script of a shell.', () => import('./commands/completion.js')],
}

const examples = `
Examples:
  $ npx svc-streams watch --simulate
      Show live prices and depth of a simulator. Needs nothing else.
  $ npx svc-streams simulate
      Run the simulator for your own program. Prints environment variables with its addresses.
  $ npx svc-streams record --simulate --duration 1m --out market.ndjson
      Record the simulator for one minute, for svc-streams replay and for tests of strategies.
  $ npx svc-streams help watch
      Print the help of a command, with examples.`

/** Loads only the command of the arguments. The script of a completion lists the flags of all commands. */
export const createProgram = async (io: Io, args: readonly string[] | 'all'): Promise<Command> => {
  const used = args === 'all' ? undefined : args.find((arg) => Object.hasOwn(commands, arg))
  const isComplete = args === 'all' || used === 'completion'
  const program = new Command('svc-streams')
    .configureOutput(outputOf(io))
    .configureHelp({ ...helpLayout, subcommandTerm: (command) => command.name() })
    .description('Tools for a trading service: live prices, order-book depth.')
    .version(version, '-V, --version', 'print the version of the package')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', ({ command }) => wrapHelp(command, examples, io.stdout))
  for (const [name, [description, load]] of Object.entries(commands))
    program.addCommand(
      isComplete || name === used
        ? (await load()).createCommand(io, name, description)
        : new Command(name).description(description),
    )
  return program
}
