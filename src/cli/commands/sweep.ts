import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { tap } from 'rxjs'
import { counted, formatSeconds } from '../../view/texts.js'
import { integerOption } from '../../base/option-kinds/number-option.js'
import { printable } from '../../base/errors/text.js'
import { workersOption } from '../../backtest/sweep/options.js'
import { sweepOn } from '../../backtest/sweep/sweep.js'
import { rxClock } from '../../base/time/clock.js'
import {
  accountOptions,
  backtestFiles,
  checkedStrategy,
  withoutResult,
  type StrategyRun,
} from './shared/replayed-strategy.js'
import { rangeFlags, rangeOf } from '../target/range.js'
import { checkOverwritten, readJson } from '../target/read-file.js'
import type { Io } from '../io.js'
import { coloursFor, numberFormat, outputJson, showProgressLine } from '../render/terminal.js'
import { completes } from '../stop.js'
import { commandText, headerOf, writeDataNotes } from './shared/report.js'
import { costFlags, costsOf } from './shared/strategy-module.js'
import {
  checkSorted,
  sortedBy,
  sweepLine,
  writeResults,
  writeSweepPage,
  type Result,
} from './shared/sweep-results.js'
import { walkForwardRecordings } from './shared/walk-forward.js'
import { defineCommand, many } from './shared/parts.js'
import {
  numberFlag,
  onlyGiven,
  parsedFlag,
  parseNumber,
  parseRotation,
  parseWalkForward,
  requiredFlag,
  textFlag,
  toggle,
  usageError,
  type Values,
} from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams sweep market.ndjson strategy.js --parameters parameters.json
      Run the strategy with each parameter of the file, on all cores.
  $ npx svc-streams sweep market.ndjson paper.js --parameters parameters.json --sort annual.sharpe --report sweep.html
      Put the best account first, and write a page with all figures, maps of the parameters and the best curves.
  $ npx svc-streams sweep market.*.ndjson.gz strategy.js --parameters parameters.json --walk-forward 7d/1d --metric profit
      Choose the parameter on 7 days, test it on the day after them, and go on by a day.

The last file is the module of the strategy: an ES module, CommonJS or TypeScript, with (client, parameter) => Observable as its
default export, or a module of backtest and paper, whose value is the summary and the curve of its account. Its costs have no
default: they are those of the options of the module, or of --latency, --fee-bps and --slippage-bps.

Each parameter prints one line: the figures of its account, or the number of its values and the last one, or why it has none.
With --walk-forward, each window prints one line: its test range, the parameter with the highest metric in the training
range directly before it, and what that parameter did in the test range. The last line is their total.

Exit codes: 0 if every parameter or window has a result, 2 for invalid arguments, 1 otherwise.`

const flags = {
  parameters: requiredFlag('--parameters <file>', 'parameters of the strategy, as a JSON array'),
  workers: numberFlag('--workers <n>', 'number of worker threads', workersOption).default(
    workersOption.default,
    'the number of cores',
  ),
  warmUp: parsedFlag(
    '--warm-up <duration>',
    'run the strategy over so much data before --from, or at the start, and before each range of --walk-forward, first',
    parseRotation,
  ),
  walkForward: parsedFlag(
    '--walk-forward <train/test>',
    'choose the parameter on a training range, test it on the range after it, window by window: 7d/1d, 12h/90m, …',
    parseWalkForward,
  ),
  metric: textFlag(
    '--metric <field>',
    'with --walk-forward: field of the last value, such as profit or report.profit',
  ),
  minimise: toggle('--minimise', 'with --walk-forward: choose the parameter with the lowest metric'),
  minTrades: parsedFlag(
    '--min-trades <n>',
    'with --walk-forward: fewer round trips in training give no score',
    parseNumber(integerOption({ min: 1, max: 1_000_000_000, default: 1 })),
  ),
  report: textFlag(
    '--report <file>',
    'page of the results to write, as HTML: sorted, a map of each two fields of the parameters, the curves of the first five; with --walk-forward, the test ranges as one curve',
  ),
  sort: textFlag(
    '--sort <field>',
    'print the results at the end, those with the highest number in a field of the last value first',
  ),
  csv: textFlag('--csv <file>', 'CSV file of the results to write; an existing file is overwritten'),
  ...costFlags,
  ...rangeFlags,
  json: toggle('--json', 'print each result as a JSON object, one per line'),
}

type SweepFlags = Values<typeof flags>

export const createCommand = defineCommand({
  examples,
  guide: 'strategies/sweep.md',
  arguments: many('<file...>', 'recordings, plain or gzip, and last the module of the strategy'),
  flags,
  action: sweepRecordings,
})

async function sweepRecordings(
  io: Io,
  command: Command,
  flags: SweepFlags,
  files: readonly string[],
): Promise<void> {
  const { parameters: path, workers, warmUp, walkForward, metric, minimise = false, minTrades } = flags
  const { report, sort, csv, json = false } = flags
  const backtest = backtestFiles(files)
  const range = rangeOf(flags)
  checkOverwritten({ report, csv }, [...files, path])
  if (walkForward === undefined && (metric !== undefined || minimise || minTrades !== undefined))
    return usageError('--metric, --minimise and --min-trades need --walk-forward')
  if (walkForward !== undefined && (sort ?? csv) !== undefined)
    return usageError('--sort and --csv are not for --walk-forward, whose windows have an order')
  const parameters = readParameters(path)
  using strategy = await checkedStrategy(backtest, range)
  const costs = costsOf(flags)
  const own = await accountOptions(backtest.module, strategy, costs)
  const account = own && { ...own, ...onlyGiven({ warmUp }) }
  if (account !== undefined) writeDataNotes(io, await headerOf(backtest.recordings), account, range)
  const run: StrategyRun = {
    ...{ ...backtest, strategy: strategy.url, parameters, costs, account },
    played: { workers, ...range, ...onlyGiven({ warmUp }) },
    commandText: commandText(command),
  }
  await (walkForward === undefined
    ? sweepParameters(io, run, { sort, csv, report, json })
    : walkForwardRecordings(io, run, { lengths: walkForward, metric, minimise, minTrades, report, json }))
}

const sweepParameters = async (
  io: Io,
  run: StrategyRun,
  { sort, csv, report, json = false }: Pick<SweepFlags, 'sort' | 'csv' | 'report' | 'json'>,
): Promise<void> => {
  const { recordings, strategy, parameters, costs, played } = run
  const startAt = rxClock.wallClock()
  const sweep$ = sweepOn({ costs })
  let finished = 0
  const finishedText = () => `${finished} of ${counted(parameters.length, 'parameter')}`
  const shown = showProgressLine(
    io,
    () => `${finishedText()}  ${formatSeconds(rxClock.wallClock() - startAt)}`,
  )
  const { failed } = coloursFor(io.stdout, io.env)
  const grouped = numberFormat(io.stdout)
  const print = (result: Result): void => {
    const line = json ? outputJson(result) : sweepLine(result, grouped)
    shown.print(isLeft(result) && !json ? failed(line) : line, io.stdout)
  }
  const results: Result[] = []
  let failures = 0
  const show = (result: Result): void => {
    finished++
    if (isLeft(result)) failures++
    if ((sort ?? csv ?? report) !== undefined) results.push(result)
    if (sort === undefined) print(result)
  }
  const result$ = sweep$<unknown, unknown>(recordings, strategy, parameters, played)
  const progress = () => ` after ${finishedText()}`
  await completes(io, result$.pipe(tap(show)), progress, [csv, report]).finally(() => {
    const sorted = sort === undefined ? results : sortedBy(results, sort)
    if (sort !== undefined) sorted.forEach(print)
    shown.hide()
    if (csv !== undefined) writeResults(csv, sorted)
  })
  if (report !== undefined) await writeSweepPage(report, run, results, sort)
  if (sort !== undefined && results.length > failures) checkSorted(results, sort)
  if (failures > 0) throw withoutResult(failures, parameters.length, 'parameter', { _tag: 'SweepError' })
}

const readParameters = (path: string): readonly unknown[] => {
  const expected = 'expected a JSON array, such as [5, 10, 20] or [{ "window": 5 }]'
  const json = readJson(path)
  if (isLeft(json)) return usageError(`--parameters: ${printable(path + json.left.message)}; ${expected}`)
  if (Array.isArray(json.right) && json.right.length > 0) return json.right as unknown[]
  const problem = Array.isArray(json.right) ? 'has no parameter; add one' : expected
  return usageError(`--parameters: ${printable(path)}: ${problem}`)
}
