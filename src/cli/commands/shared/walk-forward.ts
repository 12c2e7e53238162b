import { isLeft, right } from 'fp-ts/lib/Either.js'
import { identity, map, tap } from 'rxjs'
import { counted, formatTime } from '../../../view/texts.js'
import { plainDecimal } from '../../../base/domain/plain-decimal.js'
import { escapeUnsafe, printable } from '../../../base/errors/text.js'
import type { ScoredRange, WalkForwardOptions } from '../../../backtest/sweep/options.js'
import { walkForwardOn, type WalkForwardResult } from '../../../backtest/sweep/walk-forward.js'
import { packagedProgram } from '../../../backtest/sweep/worker-pool.js'
import { jsonText, withoutResult, type BacktestFiles } from './replayed-strategy.js'
import { importStrategy, isPaperOptions } from '../../../backtest/sweep/worker/load-strategy.js'
import { summaryOf, type PaperEvent, type PaperOptions } from '../../../backtest/paper/index.js'
import type { Costs } from '../../../backtest/account/options.js'
import type { Io } from '../../io.js'
import { outputJson } from '../../render/json.js'
import { failureOf } from '../../render/error-text.js'
import { coloursFor, numberFormat, type NumberFormat } from '../../render/terminal.js'
import { completes } from '../../stop.js'
import { writeWalkForwardReport, type TestedWindow } from './report.js'

/** How the best parameter is chosen. */
export interface Ranking {
  /** A field of the last value, `a.b` for one inside of another. Default: the value itself. */
  readonly metric: string | undefined
  readonly minimises: boolean
  /** The least number of round trips, the field `roundTrips` (or `trades`) of the last value, with which a parameter has a score. */
  readonly minTrades: number | undefined
}

type Result = WalkForwardResult<unknown, unknown>

export interface WalkForward extends BacktestFiles {
  /** The module, as a worker imports it. */
  readonly strategy: URL
  readonly parameters: readonly unknown[]
  readonly settings: Omit<WalkForwardOptions, 'score'>
  readonly ranking: Ranking
  readonly json: boolean
  readonly costs: Costs
  /** The page of the test ranges, and the command that gives it again. */
  readonly report: { readonly path: string; readonly command: string } | undefined
}

/** Prints the result of each window in its test range, and their total. Throws if a window has none. */
export const walkForwardRecordings = async (
  io: Io,
  { recordings, module, strategy, parameters, settings, ranking, json, costs, report }: WalkForward,
): Promise<void> => {
  const options = report === undefined ? undefined : await accountOptions(strategy, costs)
  const sign = ranking.minimises ? -1 : 1
  const total = new Total()
  const windows: TestedWindow[] = []
  const keepsEvents = options !== undefined
  const result$ = walkForwardOn({ program: () => ({ url: packagedProgram() }), keepsEvents, costs })<
    unknown,
    unknown
  >(recordings, strategy, parameters, {
    ...settings,
    score: (values, range) => sign * scoreOf(values, range, ranking),
  }).pipe(
    map((result) => (isLeft(result) ? result : right({ ...result.right, score: sign * result.right.score }))),
  )

  const { failed } = coloursFor(io.stdout, io.env)
  const grouped = numberFormat(io.stdout)
  const show = (result: Result): void => {
    failOnce(result)
    total.add(result)
    if (report !== undefined) windows.push(testedWindow(result, ranking.metric))
    const line = json
      ? outputJson(keepsEvents ? summarised(result) : result)
      : escapeUnsafe(lineOf(result, ranking.metric, grouped))
    io.stdout.write(`${isLeft(result) && !json ? failed(line) : line}\n`)
  }
  const progress = () => ` after ${counted(total.windows, 'window')}`
  if (!(await completes(io, result$.pipe(tap(show)), progress))) return
  io.stdout.write(`${json ? outputJson(total.summary()) : total.line(ranking.metric, grouped)}\n`)
  if (report !== undefined) {
    const page = { ...report, recordings, module, options }
    await writeWalkForwardReport(page, windows, total.line(ranking.metric, identity))
  }
  if (total.failed > 0)
    throw withoutResult(total.failed, total.windows, 'window', { _tag: 'WalkForwardError' })
}

/** The options of the account whose orders the module returns; `undefined` if it exports none. */
const accountOptions = async (strategy: URL, costs: Costs): Promise<PaperOptions | undefined> => {
  const imported = await importStrategy(strategy.href)
  return !isLeft(imported) && isPaperOptions(imported.right.options)
    ? { ...imported.right.options, ...costs }
    : undefined
}

/** The result with the figures of the account in place of its events. */
const summarised = (result: Result): Result =>
  isLeft(result) ? result : right({ ...result.right, values: [resultOf(result.right.values)] })

/** Throws for a failure of the whole run, or a failure that each window would have. */
const failOnce = (result: Result): void => {
  if (!isLeft(result)) return
  const { left: error } = result
  if (error.why === 'recording' || error.why === 'too short') throw failureOf(error)
  const [first] = error.why === 'train' ? error.errors : [error.error]
  if (first?.why === 'module') throw failureOf(first)
}

/**
 * The metric of the last value, unless it has too few trades: where nothing was traded, no figure has a meaning. The least
 * number concerns the choice alone, because a test range is shorter.
 */
const scoreOf = (values: readonly unknown[], range: ScoredRange, { metric, minTrades }: Ranking): number => {
  const value = resultOf(values)
  const trades = fieldOf(value, 'roundTrips') ?? fieldOf(value, 'trades')
  if (typeof trades !== 'number' && minTrades !== undefined)
    throw new Error('the last value has no number roundTrips or trades, which --min-trades needs')
  const least = range === 'train' ? (minTrades ?? 1) : 1
  if (typeof trades === 'number' && trades < least)
    throw new Error(
      trades === 0 ? 'nothing was traded' : `${counted(trades, 'round trip')}, fewer than ${least}`,
    )
  if (values.length === 0) throw new Error('there is no value')
  return metricOf(value, metric)
}

/** The last value; the figures of the range if the values are the events of an account. */
export const resultOf = (values: readonly unknown[]): unknown => {
  const events = accountEvents(values)
  return events === undefined ? values.at(-1) : summaryOf(events)
}

const accountEvents = (values: readonly unknown[]): readonly PaperEvent[] | undefined =>
  fieldOf(values.at(-1), '_tag') === 'Account' ? (values as readonly PaperEvent[]) : undefined

const testedWindow = (result: Result, metric: string | undefined): TestedWindow => {
  const events = isLeft(result) ? [] : accountEvents(result.right.values)
  if (events === undefined)
    throw new Error(
      '--report: the values are no events of an account; let the strategy return what paper returns, or export its options',
    )
  return { text: lineOf(result, metric, identity, false), events }
}

/**
 * The metric of a value. Throws if it has no such number. The message contains no value, because it may be of a
 * training range.
 */
const metricOf = (value: unknown, metric: string | undefined): number => {
  const found = metric === undefined ? value : fieldOf(value, metric)
  if (typeof found === 'number' || typeof found === 'bigint') return Number(found)
  const names = numberNames(value).map(printable).join(', ')
  if (metric === undefined)
    throw new Error(
      names === ''
        ? 'the last value is no number, and has none'
        : `the last value is no number; name one of its numbers by --metric: ${names}`,
    )
  const numbers = names === '' ? 'it has none' : `its numbers are ${names}`
  throw new Error(`the last value has no number ${printable(metric)}; ${numbers}`)
}

/** The names of the numbers in a value, as `--metric` takes them. At most 5 levels, because a value may contain itself. */
const numberNames = (value: unknown, parent = '', levels = 5): readonly string[] =>
  typeof value !== 'object' || value === null || levels === 0
    ? []
    : Object.entries(value).flatMap(([field, inner]: [string, unknown]) =>
        typeof inner === 'number' || typeof inner === 'bigint'
          ? [`${parent}${field}`]
          : numberNames(inner, `${parent}${field}.`, levels - 1),
      )

const fieldOf = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (object, name) =>
        typeof object === 'object' && object !== null && Object.hasOwn(object, name)
          ? (object as Readonly<Record<string, unknown>>)[name]
          : undefined,
      value,
    )

const lineOf = (
  result: Result,
  metric: string | undefined,
  grouped: NumberFormat,
  hasValue = metric !== undefined,
): string => {
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
    ...(hasValue ? [`last ${jsonText(resultOf(values))}`] : []),
  ].join('  ')
}

const rangeText = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  `${formatTime(from)} to ${formatTime(to)}`

const metricText = (metric: string | undefined, value: number, grouped: NumberFormat): string =>
  `${metric === undefined ? 'result' : printable(metric)} ${grouped(roundedText(value))}`

/** The windows so far. */
class Total {
  windows = 0
  failed = 0
  private sum = 0

  add(result: Result): void {
    this.windows++
    if (isLeft(result)) this.failed++
    else this.sum += result.right.score
  }

  line(metric: string | undefined, grouped: NumberFormat): string {
    const { windows, failed, sum, mean } = this.summary()
    const all = counted(windows, 'window', grouped)
    const tested = failed === 0 ? all : `${grouped(String(windows - failed))} of ${all}`
    const results =
      sum === null || mean === null
        ? ['no score']
        : [metricText(metric, sum, grouped), `mean ${grouped(roundedText(mean))}`]
    return ['total', tested, ...results].join('  ')
  }

  summary() {
    const { windows, failed, sum } = this
    const scored = windows - failed
    return {
      _tag: 'Total',
      windows,
      failed,
      sum: scored > 0 ? sum : null,
      mean: scored > 0 ? sum / scored : null,
    } as const
  }
}

/** Without the rounding errors of sums, such as 0.30000000000000004. */
const roundedText = (value: number): string => plainDecimal(Number(value.toPrecision(12)))
