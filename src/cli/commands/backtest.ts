import { Argument, Option, type Command } from 'commander'
import { integerOption } from '../../base/option-kinds/number-option.js'
import { workersOption } from '../../backtest/sweep/options.js'
import { numberFlag, parseNumber, parseRotation, parseWalkForward } from '../target/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand, fromFlag, toFlag, lazyAction } from './shared/parts.js'

const sweepExamples = `
Examples:
  $ npx svc-streams sweep market.ndjson strategy.js --parameters parameters.json
      Run the strategy with each parameter of the file, on all cores.
  $ npx svc-streams sweep market.*.ndjson.gz strategy.js --parameters parameters.json --workers 2
      Use several files as one recording, and two cores.
  $ npx svc-streams sweep market.ndjson strategy.js --parameters parameters.json --json |
      jq -c 'select(._tag == "Right").right | [.parameter, .values[-1]]'
      Print the last value of each parameter, for programs.
  $ npx svc-streams sweep market.*.ndjson.gz strategy.js --parameters parameters.json --walk-forward 7d/1d --metric profit
      Choose the parameter on 7 days, test it on the day after them, and go on by a day.

The last file is the module of the strategy: an ES module, CommonJS or TypeScript, with (client, parameter) => Observable as its
default export, or a module of backtest and paper, whose value is the summary. The parameters are a JSON array, such as
[5, 10, 20] or [{ "window": 5 }]. Give the recordings in the order of their times. Each worker thread plays them once, in
virtual time, for all its parameters.

Each parameter prints one line, in the order of the file: the number of its values, the number of rows that were played
until its stream ended, and its last value, or why it has none. --json prints all values.

With --walk-forward, each window prints one line: its test range, the parameter with the highest metric in the training
range directly before it, and what that parameter did in the test range. The last line is the total of the test ranges. The
results of training are not shown. The metric is the last value of the strategy, or its field --metric, and is the same
number in both ranges. A strategy starts anew in each range, after --warm-up. A rest shorter than a test range is not tested.
If the strategy has an account, or emits the events of one, the metric is of the summary of the range, without the warm-up, and
--report writes a page. If the last value has a field trades, a parameter with 0 trades, or with fewer than --min-trades in training, has no score.

Exit codes: 0 if every parameter or window has a result, 1 otherwise.`

export const sweepCommand = (io: Io): Command =>
  createCommand(io, 'sweep', 'Run a strategy with many parameters over a recording.', sweepExamples)
    .addArgument(new Argument('<file...>', filesHelp))
    .requiredOption('--parameters <file>', 'parameters of the strategy, as a JSON array')
    .addOption(workersFlag())
    .option(
      '--warm-up <duration>',
      'run the strategy over so much data before --from, and before each range of --walk-forward, first',
      parseRotation,
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
    .addOption(
      new Option('--min-trades <n>', 'with --walk-forward: fewer trades in training give no score').argParser(
        parseNumber(integerOption({ min: 1, max: 1_000_000_000, default: 1 })),
      ),
    )
    .option('--report <file>', 'with --walk-forward: write a page of the test ranges as one curve, as HTML')
    .addOption(fromFlag())
    .addOption(toFlag())
    .option('--json', 'print each result as a JSON object, one per line')
    .action(lazyAction(io, async () => (await import('../actions/sweep.js')).sweepRecordings))

const verifyExamples = `
Examples:
  $ npx svc-streams verify market.ndjson strategy.js --journal live.ndjson
      Check that a live run of the strategy gave the values that a replay of its recording gives.
  $ npx svc-streams verify market.*.ndjson.gz strategy.js --journal live.ndjson --from 2026-11-27T09:00:00Z
      Play the recording from the time at which the strategy was started.
  $ npx svc-streams verify monday.ndjson tuesday.ndjson strategy.js --journal desk.ndjson
      Compare the events of an account over two runs of paper, each with its recording.

The live run writes the journal, and the recording is that of its client:

  record(client, { topics, to: 'market.ndjson' })
  strategy(client).pipe(journal('live.ndjson')).subscribe()

The journal of paper has the events of an account, for the module of paper. Each run of the account is compared with its part of
the recordings, from the time at which it was started.

The values are compared in order, as JSON. At the first difference the command prints both values, and the last lines of the
recording before it. Values of the replay after the last line of the journal do not count: the live run was stopped or killed.
A last line without an end does not count either, nor do values of the live run after the last row of the recording.

The order of two events of different streams in the same millisecond may differ: derive the values of a journal from one stream
at a time.

Exit codes: 0 if all values of the journal are equal; 1 at the first difference, or if there is none to compare.`

export const verifyCommand = (io: Io): Command =>
  createCommand(io, 'verify', 'Compare a live run of a strategy with its replay.', verifyExamples)
    .addArgument(new Argument('<file...>', filesHelp))
    .requiredOption(
      '--journal <file>',
      'the values of the live run, as the operator journal or the command paper writes them',
    )
    .option('--parameter <json>', 'parameter of the strategy, as JSON (default: none)')
    .addOption(fromFlag())
    .addOption(toFlag())
    .option('--json', 'print the result as one JSON object')
    .action(lazyAction(io, async () => (await import('../actions/verify.js')).verifyJournal))

const filesHelp = 'recordings, plain or gzip, and last the module of the strategy'

const workersFlag = (): Option =>
  numberFlag('--workers <n>', 'number of worker threads', workersOption).default(
    workersOption.default,
    'the number of cores',
  )
