import { Command } from 'commander'
import { doctorCommand } from './commands/check.js'
import { completionCommand, initCommand } from './commands/setup.js'
import { dashboardCommand, gatewayCommand } from './commands/serve.js'
import { importCommand } from './commands/import.js'
import { exportCommand, inspectCommand, replayCommand } from './commands/recording.js'
import { helpLayout, outputOf, wrapHelp } from './commands/shared/parts.js'
import { sweepCommand, verifyCommand } from './commands/backtest.js'
import { backtestCommand, paperCommand } from './commands/paper.js'
import { recordCommand, watchCommand } from './commands/stream.js'
import { depthCommand, priceCommand } from './commands/request.js'
import { simulateCommand } from './commands/simulate.js'
import type { Io } from './io.js'
import { version } from './manifest.js'

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

/** The program `svc-streams` with all commands. */
export const createProgram = (io: Io): Command =>
  new Command('svc-streams')
    .configureOutput(outputOf(io))
    .configureHelp(helpLayout)
    .description('Tools for a trading service: live prices, order-book depth.')
    .version(version, '-V, --version', 'print the version of the package')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addCommand(initCommand(io))
    .addCommand(watchCommand(io))
    .addCommand(dashboardCommand(io))
    .addCommand(priceCommand(io))
    .addCommand(depthCommand(io))
    .addCommand(recordCommand(io))
    .addCommand(replayCommand(io))
    .addCommand(importCommand(io))
    .addCommand(exportCommand(io))
    .addCommand(inspectCommand(io))
    .addCommand(backtestCommand(io))
    .addCommand(paperCommand(io))
    .addCommand(sweepCommand(io))
    .addCommand(verifyCommand(io))
    .addCommand(simulateCommand(io))
    .addCommand(gatewayCommand(io))
    .addCommand(doctorCommand(io))
    .addCommand(completionCommand(io))
    .addHelpText('after', ({ command }) => wrapHelp(command, examples, io.stdout))
