import { Argument, type Command } from 'commander'
import { parseRotation } from '../target/parse-flags.js'
import { addDeploymentFlags } from '../target/source-flags.js'
import type { Io } from '../io.js'
import { addMetricsFlags, createCommand, fromFlag, lazyAction, toFlag } from './shared/parts.js'

const strategyHelp = `The module of the strategy has two exports: (client, account, parameter) => Observable of orders as the default, and options,
which are those of paper in svc-streams/paper, such as { tokens, cash: 100_000, feeBps: 2, slippageBps: 1, latency: 50 }.
TypeScript runs from Node 22.18 on; with an older Node it is bundled by the esbuild of the project.

Each fill, rejection and cancellation is a line; the last lines are the summary. A figure without a meaning is -. --json prints
each event as a JSON object, one per line, with quantities as text, and last { "_tag": "Summary", … }.`

const backtestExamples = `
Examples:
  $ npx svc-streams backtest market.ndjson strategy.js
      Trade the orders of a strategy over a recording, and print its summary.
  $ npx svc-streams backtest market.*.ndjson.gz strategy.ts --report report.html
      Write a page with the equity, the trades and the assumptions.
  $ npx svc-streams backtest market.ndjson strategy.js --parameter '{ "window": 5 }' --json | tail -1
      Print the figures of a parameter, for programs.

${strategyHelp}

Exit codes: 0 if the recording was played to its end, 1 otherwise.`

export const backtestCommand = (io: Io): Command =>
  createCommand(io, 'backtest', 'Trade a strategy on paper over recordings.', backtestExamples)
    .addArgument(new Argument('<file...>', 'recordings, plain or gzip, and last the module of the strategy'))
    .option('--parameter <json>', 'parameter of the strategy, as JSON (default: none)')
    .option('--report <file>', 'HTML file to write; an existing file is overwritten')
    .addOption(fromFlag())
    .addOption(toFlag())
    .option('--json', 'print each event as a JSON object, one per line')
    .action(lazyAction(io, async () => (await import('../actions/paper.js')).backtestRecordings))

const paperExamples = `
Examples:
  $ npx svc-streams paper strategy.js --simulate
      Trade on paper against the simulator, until Ctrl-C.
  $ npx svc-streams paper strategy.js --gateway http://127.0.0.1:8080 --journal desk.ndjson
      Keep the account in a file: the command continues with its cash, positions and open orders.
  $ npx svc-streams paper strategy.js --gateway http://127.0.0.1:8080 --journal desk.ndjson --record monday.ndjson
      Also record what the account receives: backtest monday.ndjson strategy.js gives the same events.

${strategyHelp}

With --warm-up, the strategy first runs over the prices that the gateway has recorded, without depth; orders of that time are
dropped. A process that is started on another machine then decides as the one before it.

Without --json, a line a minute is the value of the account. With --journal, the summary and the report are those of all runs
of the journal. Depth requires --base-url and --auth-key, --gateway or --nats. Ctrl-C stops the command with exit code 0. The
exit code is 1 if the journal or the recording cannot be written, or another process uses the journal.`

export const paperCommand = (io: Io): Command =>
  addDeploymentFlags(
    addMetricsFlags(
      createCommand(io, 'paper', 'Trade a strategy on paper, live.', paperExamples)
        .addArgument(new Argument('<strategy>', 'the module of the strategy'))
        .option('--parameter <json>', 'parameter of the strategy, as JSON (default: none)')
        .option('--journal <file>', 'file that keeps the account over restarts')
        .option('--record <file>', 'new file for a recording of what the account receives')
        .option(
          '--warm-up <duration>',
          'with --gateway or --nats: run the strategy over so much of the recorded past first',
          parseRotation,
        )
        .option('--report <file>', 'HTML file to write at the end; an existing file is overwritten')
        .option('--json', 'print each event as a JSON object, one per line'),
    ),
  ).action(lazyAction(io, async () => (await import('../actions/paper.js')).tradeOnPaper))
