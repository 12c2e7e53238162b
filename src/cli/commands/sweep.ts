import { Argument, type Command } from 'commander'
import { workersOption } from '../../sweep/options.js'
import type { SweepFlags } from '../actions/sweep.js'
import { numberFlag, parseTime, parseWalkForward } from '../input/parse-flags.js'
import type { Io } from '../io.js'
import { backtestFilesHelp, createCommand } from './parts.js'

const examples = `
Examples:
  $ svc-streams sweep market.ndjson strategy.js --parameters parameters.json
      Run the strategy with each parameter of the file, on all cores.
  $ svc-streams sweep market.*.ndjson.gz strategy.js --parameters parameters.json --workers 2
      Use several files as one recording, and two cores.
  $ svc-streams sweep market.ndjson strategy.js --parameters parameters.json --json |
      jq -c 'select(._tag == "Right").right | [.parameter, .values[-1]]'
      Print the last value of each parameter, for programs.
  $ svc-streams sweep market.*.ndjson.gz strategy.js --parameters parameters.json --walk-forward 7d/1d --metric profit
      Choose the parameter on 7 days, test it on the day after them, and go on by a day.

The last file is the module of the strategy: an ES module or CommonJS, with (client, parameter) => Observable as its default
export. The parameters are a JSON array, such as [5, 10, 20] or [{ "window": 5 }]. Give the recordings in the order of
their times. Each worker thread reads them once, in virtual time, for all its parameters.

Each parameter prints one line, in the order of the file: the number of its values, the number of rows that were played
until its stream ended, and its last value, or why it has none. --json prints all values.

With --walk-forward, each window prints one line: its test range, the parameter with the highest metric in the training
range directly before it, and what that parameter did in the test range. The last line is the total of the test ranges. The
results of training are not shown. The metric is the last value of the strategy, or its field --metric, and is the same
number in both ranges. A strategy starts anew in each range. A rest shorter than a test range is not tested.

Exit codes: 0 if every parameter or window has a result, 1 otherwise.`

export const sweepCommand = (io: Io): Command =>
  createCommand(io, 'sweep', 'Run a strategy with many parameters over a recording.', examples)
    .addArgument(new Argument('<file...>', backtestFilesHelp))
    .requiredOption('--parameters <file>', 'parameters of the strategy, as a JSON array')
    .addOption(
      numberFlag('--workers <n>', 'number of worker threads', workersOption).default(
        workersOption.default,
        'the number of cores',
      ),
    )
    .option(
      '--walk-forward <train/test>',
      'choose the parameter on a training range, test it on the range after it, window by window: 7d/1d, 12h/90m, …',
      parseWalkForward,
    )
    .option(
      '--metric <field>',
      'with --walk-forward: field of the last value, such as profit or report.profit',
    )
    .option('--minimise', 'with --walk-forward: choose the parameter with the lowest metric')
    .option('--from <time>', 'play only events from this time on, ISO 8601 or Unix ms', parseTime)
    .option('--to <time>', 'play only events before this time, ISO 8601 or Unix ms', parseTime)
    .option('--json', 'print each result as a JSON object, one per line')
    .action(async (files: readonly string[], flags: SweepFlags, command: Command) => {
      const { sweepRecordings } = await import('../actions/sweep.js')
      await sweepRecordings(io, command, files, flags)
    })
