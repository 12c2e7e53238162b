import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { tap } from 'rxjs'
import { formatDuration } from '../../display/texts.js'
import { printable } from '../../errors/text.js'
import type { SweepError, SweepResult, SweepRun } from '../../sweep/index.js'
import { sweepOn, type SweepProgress } from '../../sweep/sweep.js'
import { packagedProgram } from '../../sweep/worker-pool.js'
import { rxClock } from '../../time/rx-clock.js'
import { backtestFiles, checkedStrategy, jsonText } from './backtest.js'
import { rangeProblem, type WalkForwardLengths } from '../input/parse-flags.js'
import { readJson } from '../input/read-file.js'
import type { Io } from '../io.js'
import { outputJson } from '../output/json.js'
import { failureOf, seeGuide } from '../output/error-text.js'
import { drawTable, type Cell, type Column } from '../output/table.js'
import { canRedraw, coloursFor, showProgressLine, type Colours } from '../output/terminal.js'
import { usageError } from '../run.js'
import { completes } from '../stop.js'
import { walkForwardRecordings } from './walk-forward.js'

export interface SweepFlags {
  readonly parameters: string
  readonly workers: number
  /** In ms since the Unix epoch. */
  readonly from?: number
  readonly to?: number
  readonly walkForward?: WalkForwardLengths
  readonly metric?: string
  readonly minimise?: boolean
  readonly json?: boolean
}

type Result = SweepResult<unknown, unknown>

export const sweepRecordings = async (
  io: Io,
  command: Command,
  files: readonly string[],
  { parameters: path, workers, walkForward, metric, minimise, json = false, ...range }: SweepFlags,
): Promise<void> => {
  const backtest = backtestFiles(command, files)
  const problem = rangeProblem(range)
  if (problem !== undefined) return usageError(command, problem)
  if (walkForward === undefined && (metric !== undefined || minimise === true))
    return usageError(command, '--metric and --minimise choose the parameters of --walk-forward: add it')
  const parameters = readParameters(command, path)
  const strategy = await checkedStrategy(backtest, range)
  const { recordings } = backtest
  if (walkForward !== undefined) {
    const settings = { ...walkForward, workers, ...range }
    const ranking = { metric, minimises: minimise === true }
    return walkForwardRecordings(io, recordings, strategy, parameters, settings, ranking, json)
  }

  const startAt = rxClock.wallClock()
  let progress: SweepProgress = { finished: 0, rows: 0 }
  const sweep$ = sweepOn({
    program: () => ({ url: packagedProgram() }),
    onProgress: (latest) => (progress = latest),
  })
  const { stdout, stderr, env } = io
  const colours = coloursFor(stdout, env)
  const isTable = !json && canRedraw(stdout, env)
  const rows: Result[] = []
  let failures = 0
  const show = (result: Result): void => {
    // Each parameter would fail for the same reason.
    if (isLeft(result) && result.left.why === 'module') throw failureOf(result.left)
    if (isLeft(result)) failures++
    if (isTable) rows.push(result)
    else stdout.write(`${json ? outputJson(result) : sweepLine(result, colours)}\n`)
  }
  const { hide } = showProgressLine(io, json, () =>
    [
      `${progress.finished} of ${parameters.length} parameters`,
      `${progress.rows} rows`,
      formatDuration(rxClock.wallClock() - startAt),
    ].join('  '),
  )
  const result$ = sweep$<unknown, unknown>(recordings, strategy, parameters, { workers, ...range })
  const isCompleted = await completes(io, result$.pipe(tap(show))).finally(hide)
  // At the end, when the widths of the columns are known.
  if (rows.length > 0) stdout.write(sweepTable(rows, stdout.columns, colours))
  if (!isCompleted)
    return void stderr.write(`stopped: ${progress.finished} of ${parameters.length} parameters have ended\n`)
  const page = seeGuide({ _tag: 'SweepError' })
  if (failures > 0) throw new Error(`${failures} of ${parameters.length} parameters have no result; ${page}`)
}

/** The parameters of a file, a JSON array. A file that cannot be used is a usage error. */
const readParameters = (command: Command, path: string): readonly unknown[] => {
  const fail = (problem: string): never =>
    usageError(command, `--parameters: ${printable(path)}: ${printable(problem)}`)
  const expected = 'expected a JSON array, such as [5, 10, 20] or [{ "window": 5 }]'
  const json = readJson(path)
  if (isLeft(json)) {
    const { kind, message } = json.left
    return fail(kind === 'file' ? `expected a file of JSON: ${message}` : `${expected}: ${message}`)
  }
  if (!Array.isArray(json.right)) return fail(expected)
  return json.right.length === 0 ? fail('has no parameter; add one') : (json.right as unknown[])
}

const sweepLine = (result: Result, { failed }: Colours): string => {
  if (isLeft(result)) return failed(`${jsonText(result.left.parameter)}  ${failureText(result.left)}`)
  const { parameter, values, summary } = result.right
  return [
    jsonText(parameter),
    `${values.length} values`,
    `${summary.rows} rows`,
    ...values.slice(-1).map((value) => `last ${jsonText(value)}`),
  ].join('  ')
}

/** The lines of a table of the results. */
const sweepTable = (results: readonly Result[], width: number, { failed, dim }: Colours): string => {
  const column = (
    head: Pick<Column, 'title' | 'rank'> & { readonly width?: number },
    cellOf: (result: Result) => Cell,
  ): Column => ({
    align: head.width === undefined ? 'right' : 'left',
    width: 0,
    ...head,
    cells: results.map(cellOf),
  })
  const count = (title: string, rank: number, countOf: (run: SweepRun<unknown, unknown>) => number): Column =>
    column({ title, rank }, (result) => ({ text: isLeft(result) ? '' : String(countOf(result.right)) }))
  const columns = [
    column({ title: 'parameter', rank: 0, width: 20 }, (result) => ({
      text: jsonText(isLeft(result) ? result.left.parameter : result.right.parameter),
      canCut: true,
    })),
    count('values', 2, ({ values }) => values.length),
    count('rows', 3, ({ summary }) => summary.rows),
    column({ title: 'last value', rank: 1, width: 40 }, (result) =>
      isLeft(result)
        ? { text: failureText(result.left), paint: failed, canCut: true }
        : { text: result.right.values.slice(-1).map(jsonText).join(''), canCut: true },
    ),
  ]
  return drawTable(columns, width, dim)
    .map((line) => `${line}\n`)
    .join('')
}

const failureText = ({ message }: SweepError): string => printable(`failed: ${message}`)
