import { basename } from 'node:path'
import { chain, isLeft, map as mapRight, tryCatch } from 'fp-ts/lib/Either.js'
import { map, tap } from 'rxjs'
import { counted, formatTime } from '../../../view/texts.js'
import { plainDecimal } from '../../../base/domain/plain-decimal.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import { escapeUnsafe, printable } from '../../../base/errors/text.js'
import type { ScoredRange } from '../../../backtest/sweep/options.js'
import { sweepError, walkForwardError } from '../../../backtest/sweep/sweep-error.js'
import {
  walkForwardOn,
  type WalkForwardResult,
  type WalkForwardRun,
} from '../../../backtest/sweep/walk-forward.js'
import { renderRun } from '../../../backtest/results/render-report.js'
import type { ReportWindow } from '../../../backtest/results/report-tables.js'
import { formatDuration } from '../../../view/format.js'
import { figureNames } from '../../../view/figure-texts.js'
import { RunFold, type KeptFold } from '../../../backtest/results/run-fold.js'
import { isFolded, metricOf, numberOf, resultOf } from './metrics.js'
import { jsonText, withoutResult, type StrategyRun } from './replayed-strategy.js'
import type { WalkForwardLengths } from '../../target/parse-flags.js'
import type { Io } from '../../io.js'
import { failureOf } from '../../render/error-text.js'
import { coloursFor, numberFormat, outputJson, type NumberFormat } from '../../render/terminal.js'
import { completes } from '../../stop.js'
import { conditionsOf, gapsOf, headerOf, titleOf, writePage } from './report.js'

/** How the best parameter is chosen, and what is written. */
export interface WalkForward {
  readonly lengths: WalkForwardLengths
  /** A field of the last value, `a.b` for one inside of another. Default: the value itself. */
  readonly metric: string | undefined
  readonly minimise: boolean
  /** The least number of round trips, the field `roundTrips` (or `trades`) of the last value, with which a parameter has a score. */
  readonly minTrades: number | undefined
  readonly report: string | undefined
  readonly json: boolean
}

type Result = WalkForwardResult<unknown, unknown>

/** Prints the result of each window in its test range, and their total. Throws if a window has none. */
export const walkForwardRecordings = async (
  io: Io,
  run: StrategyRun,
  { lengths, metric, minimise, minTrades, report, json }: WalkForward,
): Promise<void> => {
  const { recordings, strategy, parameters, played, costs, account } = run
  if (account !== undefined) checkMetric(metric, Object.keys(account.tokens))
  const sign = minimise ? -1 : 1
  const result$ = walkForwardOn({ keepsTrades: true, costs })<unknown, unknown>(
    recordings,
    strategy,
    parameters,
    {
      ...{ ...lengths, ...played },
      // What an account did in a test range belongs to the total, also if its metric has no meaning there.
      score: (values, range) =>
        range === 'test' && isFolded(values.at(-1)) ? 0 : sign * scoreOf(values, range, metric, minTrades),
    },
  ).pipe(map(mapRight((run) => ({ ...run, score: sign * run.score, trainScore: sign * run.trainScore }))))

  const total = new Total(metric)
  const windows: ReportWindow[] = []
  const { failed } = coloursFor(io.stdout, io.env)
  const grouped = numberFormat(io.stdout)
  const show = (tested: Result): void => {
    // A failure of the whole run.
    if (isLeft(tested) && (tested.left.why === 'recording' || tested.left.why === 'too short'))
      throw failureOf(tested.left)
    const account = accountOf(tested)
    const result = account === undefined ? tested : withScore(tested, metric)
    total.add(result, account)
    if (report !== undefined && !isLeft(result) && account === undefined)
      throw new Error(
        '--report: the strategy has no account; let it return what paper returns, or export the options of one',
      )
    windows.push(...windowOf(result, account?.summary.returnRatio ?? null))
    const text = json ? outputJson(withoutTrades(result)) : escapeUnsafe(lineOf(result, metric, grouped))
    io.stdout.write(`${isLeft(result) && !json ? failed(text) : text}\n`)
  }
  const progress = () => ` after ${counted(total.windows, 'window')}`
  if (!(await completes(io, result$.pipe(tap(show)), progress, [report]))) return
  io.stdout.write(`${json ? outputJson(total.result()) : total.line(grouped)}\n`)
  if (report !== undefined) writePage(report, await pageOf(run, windows, total, lengths))
  if (total.failed > 0)
    throw withoutResult(total.failed, total.windows, 'window', { _tag: 'WalkForwardError' })
}

/** Throws before the first run if the metric is no figure of an account with these tokens. */
const checkMetric = (metric: string | undefined, symbols: readonly string[]): void => {
  const names = figureNames(symbols)
  if (metric !== undefined && names.includes(metric)) return
  const problem =
    metric === undefined ? 'is required for an account' : `${printable(metric)} is no figure of an account`
  throw new Error(`--metric ${problem}; its figures are ${names.map(printable).join(', ')}`)
}

const accountOf = (result: Result): KeptFold | undefined => {
  const value = isLeft(result) ? undefined : result.right.values.at(-1)
  return isFolded(value) ? value : undefined
}

/** The metric of the account in the test range as the score. */
const withScore = (result: Result, metric: string | undefined): Result =>
  chain((run: WalkForwardRun<unknown, unknown>) => {
    const { train, test, parameter, values } = run
    const failed = (thrown: unknown) => {
      const error = sweepError(parameter, { why: 'score', cause: causeOf(thrown) })
      return walkForwardError({ why: 'test', train, test, error })
    }
    return tryCatch(() => ({ ...run, score: scoreOf(values, 'test', metric, undefined) }), failed)
  })(result)

/** The result as a program reads it: the trades are for the page. */
const withoutTrades = (result: Result): object =>
  mapRight((run: WalkForwardRun<unknown, unknown>) => ({
    ...run,
    values: run.values.map((value) => (isFolded(value) ? { ...value, trades: undefined } : value)),
  }))(result)

/** Where too little was traded, no figure has a meaning. `minTrades` concerns the choice alone: a test range is shorter. */
const scoreOf = (
  values: readonly unknown[],
  range: ScoredRange,
  metric: string | undefined,
  minTrades: number | undefined,
): number => {
  const value = resultOf(values)
  const trades = numberOf(value, 'roundTrips') ?? numberOf(value, 'trades')
  if (trades === undefined && minTrades !== undefined)
    throw new Error('the last value has no number roundTrips or trades, which --min-trades needs')
  const least = range === 'train' ? (minTrades ?? 1) : 1
  if (trades !== undefined && trades < least)
    throw new Error(
      trades === 0 ? 'nothing was traded' : `${counted(trades, 'round trip')}, fewer than ${least}`,
    )
  if (values.length === 0) throw new Error('there is no value')
  return metricOf(value, metric)
}

const lineOf = (result: Result, metric: string | undefined, grouped: NumberFormat): string => {
  if (isLeft(result)) {
    const { left: error } = result
    const range = 'test' in error ? `${rangeText(error.test)}  ` : ''
    return `${range}${printable(`failed: ${error.message}`)}`
  }
  const { test, parameter, score, values } = result.right
  return [
    rangeText(test),
    jsonText(parameter),
    metricText(metric, score, grouped),
    ...(metric !== undefined ? [`last ${jsonText(resultOf(values))}`] : []),
  ].join('  ')
}

const rangeText = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  `${formatTime(from)} to ${formatTime(to)}`

const metricText = (metric: string | undefined, value: number, grouped: NumberFormat): string =>
  `${metric === undefined ? 'result' : printable(metric)} ${grouped(roundedText(value))}`

/** Without the rounding errors of sums, such as 0.30000000000000004. */
const roundedText = (value: number): string => plainDecimal(Number(value.toPrecision(12)))

/** The windows so far. Those of an account are chained; the figures of other results are added. */
class Total {
  windows = 0
  failed = 0
  account: RunFold | undefined
  private sum = 0

  constructor(readonly metric: string | undefined) {}

  /** `account`: that of the test range, also if it has not traded, or its metric has no meaning there. */
  add(result: Result, account: KeptFold | undefined): void {
    this.windows++
    if (isLeft(result)) this.failed++
    else this.sum += result.right.score
    if (account !== undefined) (this.account ??= new RunFold(true)).addRun(account)
  }

  line(grouped: NumberFormat): string {
    const { windows, failed } = this
    const all = counted(windows, 'window', grouped)
    const tested = failed === 0 ? all : `${grouped(String(windows - failed))} of ${all}`
    return ['total', tested, ...this.figures(grouped)].join('  ')
  }

  private figures(grouped: NumberFormat): readonly string[] {
    const { windows, failed, sum, metric, account } = this
    const scored = windows - failed
    const none = scored === 0 ? ['no score'] : []
    const mean = () => `mean ${grouped(roundedText(sum / scored))}`
    if (account === undefined) return scored === 0 ? none : [metricText(metric, sum, grouped), mean()]
    const { summary } = account
    return [...none, ...new Set(['returnRatio', metric ?? 'returnRatio'])].map((name) => {
      const value = numberOf(summary, name)
      return value === undefined ? `${printable(name)} -` : metricText(name, value, grouped)
    })
  }

  /** For programs. */
  result(): object {
    const { windows, failed, sum, account } = this
    const scored = windows - failed
    const counts = { _tag: 'Total', windows, failed }
    if (account !== undefined)
      return { ...counts, returnRatio: account.summary.returnRatio, summary: account.summary }
    return { ...counts, sum: scored > 0 ? sum : null, mean: scored > 0 ? sum / scored : null }
  }
}

/** The row of a window on the page; none for a failure without a test range. `returnRatio`: of its account. */
const windowOf = (result: Result, returnRatio: number | null): readonly ReportWindow[] => {
  if (isLeft(result)) {
    const { left: error } = result
    const none = { parameter: undefined, score: undefined, trainScore: undefined, returnRatio }
    return 'test' in error ? [{ ...error.test, ...none, failure: error.message }] : []
  }
  const { test, parameter, score, trainScore } = result.right
  return [{ ...test, parameter: jsonText(parameter), score, trainScore, returnRatio, failure: undefined }]
}

/** The page of the test ranges as one curve. Reads the recordings again, for their gaps. */
const pageOf = async (
  { recordings, module, parameters, account, commandText }: StrategyRun,
  windows: readonly ReportWindow[],
  total: Total,
  { train, test }: WalkForwardLengths,
): Promise<string> => {
  const chained = total.account ?? new RunFold(true)
  const { equity } = chained.trades
  const range = { from: equity[0]?.at ?? 0, to: (equity.at(-1)?.at ?? 0) + 1 }
  const header = await headerOf(recordings)
  return renderRun(
    chained,
    {
      title: titleOf(`${basename(module)}, walk-forward`, recordings),
      notes: [
        `The parameter of each test range of ${formatDuration(test)} was chosen from ${counted(parameters.length, 'parameter')} on the ${formatDuration(train)} before it.`,
        chainRule,
        `${total.windows - total.failed} of ${counted(total.windows, 'test range')} have a result.`,
        ...conditionsOf(account, header),
        `Data: left out: ${header.invalidRows ?? 0} invalid in the imported files.`,
      ],
      gaps: await gapsOf(recordings, range, account),
      command: commandText,
    },
    { metric: total.metric ?? 'result', list: windows },
  )
}

const chainRule =
  'An account starts anew in each range, and closes its ' +
  'positions at the end. Ranges without a trade, or in which the metric has no meaning, count. The curve, the profit and the returns chain the returns of the ranges; the other amounts in USD are those of the accounts.'
