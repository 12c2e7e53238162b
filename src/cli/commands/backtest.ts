import { basename } from 'node:path'
import type { Command } from 'commander'
import { tap } from 'rxjs'
import { paper, type Account, type PaperAccount } from '../../backtest/paper/index.js'
import { withTerms } from '../../backtest/account/terms.js'
import { replay, type ReplaySummary } from '../../backtest/recording/index.js'
import { renderRun } from '../../backtest/results/render-report.js'
import { RunFold } from '../../backtest/results/run-fold.js'
import { maxTime } from '../../backtest/recording/codec/times.js'
import { dataWallClock } from '../../base/time/clock.js'
import { noRowText, rangeFlags, rangeOf } from '../target/range.js'
import { checkOverwritten } from '../target/read-file.js'
import type { Io } from '../io.js'
import { orFail } from '../render/error-text.js'
import { counted } from '../../view/texts.js'
import { printLine, printSummary, resultLine } from '../render/paper-lines.js'
import { numberFormat, outputJson } from '../render/terminal.js'
import { completes } from '../stop.js'
import { backtestFiles } from './shared/replayed-strategy.js'
import {
  commandText,
  conditionsOf,
  gapsOf,
  notesOfRun,
  titleOf,
  writeDataNotes,
  writeNotes,
  writePage,
} from './shared/report.js'
import { costFlags, costsOf, importStrategyModule, strategyHelp } from './shared/strategy-module.js'
import { defineCommand, eventsAsJson, many, parameterFlag } from './shared/parts.js'
import { TradeFiles, tradeFileFlags } from './shared/trade-files.js'
import { parsedFlag, parseRotation, textFlag, type Values } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams backtest market.ndjson strategy.js --latency 50ms --fee-bps 2 --slippage-bps 1
      Trade the orders of a strategy over a recording, and print its summary.
  $ npx svc-streams backtest market.*.ndjson.gz strategy.ts --report report.html
      Write a page with the equity, the trades and the assumptions.
  $ npx svc-streams backtest market.ndjson strategy.js --trades trades.csv --equity equity.csv
      Write the fills and the equity for a spreadsheet or a notebook.

${strategyHelp}

Exit codes: 0 if the recording was played to its end, 2 for invalid arguments, 1 otherwise.`

const flags = {
  parameter: parameterFlag,
  warmUp: parsedFlag(
    '--warm-up <duration>',
    'run the strategy over so much data before --from, or at the start, first; its orders of that time are not executed',
    parseRotation,
  ),
  report: textFlag('--report <file>', 'HTML file to write; an existing file is overwritten'),
  ...tradeFileFlags,
  ...costFlags,
  ...rangeFlags,
  json: eventsAsJson,
}

export const createCommand = defineCommand({
  examples,
  guide: 'strategies/backtest.md',
  arguments: many('<file...>', 'recordings, plain or gzip, and last the module of the strategy'),
  flags,
  action: backtestRecordings,
})

async function backtestRecordings(
  io: Io,
  command: Command,
  { parameter, warmUp: warmUpFlag, report, json = false, ...given }: Values<typeof flags>,
  files: readonly string[],
): Promise<void> {
  const { recordings, module } = backtestFiles(files)
  checkOverwritten({ report, trades: given.trades, equity: given.equity }, files)
  const range = rangeOf(given)
  const { strategy$, options: own } = await importStrategyModule(module, costsOf(given))
  const warmUp = warmUpFlag ?? own.warmUp ?? 0
  const options = { ...own, warmUp }
  const { from } = range
  const start = from === undefined ? {} : { from: Math.max(-maxTime, from - warmUp) }
  await using client = replay(recordings, { speed: Infinity, ...range, ...start })
  const header = orFail(await client.header())
  writeDataNotes(io, header, options, range)
  const run = new RunFold(report !== undefined)
  const tradeFiles = new TradeFiles(given, options.tokens)
  const lineOf = json ? outputJson : resultLine(options.tokens, numberFormat(io.stdout))
  const terms = warmUp === 0 || from === undefined ? {} : { isCounted: () => dataWallClock() >= from }
  let traded: PaperAccount | undefined
  let end: Account | undefined
  const event$ = client.run$((recorded) =>
    paper(
      withTerms(recorded, terms),
      (own, account) => {
        traded = account
        return strategy$(own, account, parameter)
      },
      options,
    ),
  )
  const isComplete = await completes(
    io,
    event$.pipe(
      tap((event) => {
        printLine(io, lineOf(event))
        run.add(event)
        tradeFiles.add(event)
        if (event._tag === 'Account') end = event
      }),
    ),
    () => ': the backtest has not ended',
    [report, given.trades, given.equity],
  )
  tradeFiles.close()
  if (!isComplete) return
  const summary = orFail(await client.finished)
  if (summary.rows === 0) throw new Error(noRowText(header.at, range))
  if (run.summary.profitUsd === null) io.stderr.write(withoutData)
  printSummary(io, run.summary, json)
  const isHeld = (end?.positions.length ?? 0) > 0
  const gaps = isHeld || report !== undefined ? await gapsOf(recordings, range, options) : {}
  const notes = notesOfRun(run, traded, end, gaps)
  writeNotes(io, notes)
  if (report === undefined) return
  const html = renderRun(run, {
    title: titleOf(basename(module), recordings),
    notes: [
      ...notes,
      parameter === undefined
        ? 'Parameter: none, so that the defaults of the strategy apply.'
        : `Parameter: ${outputJson(parameter)}`,
      ...conditionsOf(options, header),
      rowsText(summary, header.invalidRows ?? 0),
    ],
    gaps,
    command: commandText(command),
  })
  writePage(report, html)
}

const rowsText = ({ rows, earlierRows, skewedRows }: ReplaySummary, invalidRows: number): string =>
  `Data: ${counted(rows, 'row')} played. Left out: ${invalidRows} invalid in the imported files. Played, but doubtful: ` +
  `${earlierRows} earlier than their predecessor, ${skewedRows} with a receivedAt more than a minute off.`

const withoutData =
  'warning: the account has no figures, because no data of its tokens is in the part that counts: check options.tokens, --from and --warm-up\n'
