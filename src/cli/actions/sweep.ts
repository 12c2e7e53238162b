import type { Command } from 'commander'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { endWith, firstValueFrom, ignoreElements, map, merge, tap, type Observable } from 'rxjs'
import { formatDuration } from '../../display/texts.js'
import { escapeUnsafe, printable } from '../../errors/text.js'
import type { SweepResult } from '../../sweep/index.js'
import { sweepOn, type SweepProgress } from '../../sweep/sweep.js'
import { packagedProgram } from '../../sweep/worker-pool.js'
import { rxClock } from '../../time/rx-clock.js'
import { backtestProblem, checkedBacktest } from '../input/backtest-files.js'
import type { WalkForwardLengths } from '../input/parse-flags.js'
import { readJson } from '../input/read-file.js'
import type { Io } from '../io.js'
import { jsonText, stringify } from '../output/json-text.js'
import { drawTable, type Column } from '../output/table.js'
import { canRedraw, coloursFor, showProgressLine, type Colours } from '../output/terminal.js'
import { usageError } from '../run.js'
import { stop$ } from '../stop.js'
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
  const problem = backtestProblem(files) ?? rangeProblem(range)
  if (problem !== undefined) return usageError(command, problem)
  if (walkForward === undefined && (metric !== undefined || minimise === true))
    return usageError(command, '--metric and --minimise choose the parameters of --walk-forward: add it')
  const parameters = readParametersFile(path)
  if (isLeft(parameters)) return usageError(command, parameters.left)
  const { recordings, strategy } = await checkedBacktest(files, range)
  if (walkForward !== undefined) {
    const settings = { ...walkForward, workers, ...range }
    const ranking = { metric, minimises: minimise === true }
    return walkForwardRecordings(io, { recordings, strategy }, parameters.right, settings, ranking, json)
  }

  const count = parameters.right.length
  const startAt = rxClock.wallClock()
  let progress: SweepProgress = { finished: 0, rows: 0 }
  const sweep$ = sweepOn({
    program: () => ({ url: packagedProgram() }),
    onProgress: (latest) => (progress = latest),
  })
  const result$ = sweep$<unknown, unknown>(recordings, strategy, parameters.right, {
    workers,
    ...range,
  })
  const hideProgress = isProgressVisible(io, json)
    ? showProgressLine(io.stderr, () =>
        [
          `${progress.finished} of ${count} parameters`,
          `${progress.rows} rows`,
          formatDuration(rxClock.wallClock() - startAt),
        ].join('  '),
      )
    : () => undefined
  const output =
    json || !canRedraw(io.stdout, io.env) ? printLines(io, json ? sweepJson : colouredLine) : collectTable(io)
  const completed = await showAll(io, result$, output).finally(hideProgress)
  output.finish()
  if (!completed)
    return void io.stderr.write(`stopped: ${progress.finished} of ${count} parameters have ended\n`)
  if (output.failures() > 0) throw new Error(`${output.failures()} of ${count} parameters have no result`)
}

const rangeProblem = ({
  from = -Infinity,
  to = Infinity,
}: Pick<SweepFlags, 'from' | 'to'>): string | undefined =>
  from >= to ? '--to: expected a time after --from' : undefined

/** The parameters of a file, a JSON array. Left: the reason why it cannot be used. */
const readParametersFile = (path: string): Either<string, readonly unknown[]> => {
  const failed = (problem: string) => left(`--parameters: ${printable(path)}: ${printable(problem)}`)
  const expected = 'expected a JSON array, such as [5, 10, 20] or [{ "window": 5 }]'
  const json = readJson(path)
  if (isLeft(json)) {
    const { kind, message } = json.left
    return failed(kind === 'file' ? message : `${expected}: ${message}`)
  }
  if (!Array.isArray(json.right)) return failed(expected)
  return json.right.length === 0 ? failed('has no parameter; add one') : right(json.right as unknown[])
}

/** Shows each result. Resolves to false if the user stops the command. */
const showAll = (io: Io, result$: Observable<Result>, { show }: ResultOutput): Promise<boolean> =>
  firstValueFrom(
    merge(
      result$.pipe(
        tap((result) => {
          // Each parameter would fail for the same reason.
          if (isLeft(result) && result.left.why === 'module') throw new Error(printable(result.left.message))
          show(result)
        }),
        ignoreElements(),
        endWith(true),
      ),
      stop$(io, undefined).pipe(map(() => false)),
    ),
  )

interface ResultOutput {
  readonly show: (result: Result) => void
  readonly finish: () => void
  readonly failures: () => number
}

const printLines = (io: Io, lineOf: (result: Result, io: Io) => string): ResultOutput => {
  let failures = 0
  return {
    show: (result) => {
      if (isLeft(result)) failures++
      io.stdout.write(`${lineOf(result, io)}\n`)
    },
    finish: () => undefined,
    failures: () => failures,
  }
}

const colouredLine = (result: Result, { stdout, env }: Io): string => {
  const line = sweepLine(result)
  return isLeft(result) ? coloursFor(stdout, env).failed(line) : line
}

/** Prints a table of all results at the end: its columns are as wide as their widest cells. */
const collectTable = ({ stdout, env }: Io): ResultOutput => {
  const results: Result[] = []
  return {
    show: (result) => results.push(result),
    finish: () => {
      const lines = sweepTable(results, stdout.columns, coloursFor(stdout, env))
      if (results.length > 0) stdout.write(`${lines.join('\n')}\n`)
    },
    failures: () => results.filter(isLeft).length,
  }
}

/** A terminal shows the progress, unless lines of JSON are written to it. */
const isProgressVisible = ({ stdout, stderr, env }: Io, json: boolean): boolean =>
  canRedraw(stderr, env) && !(json && stdout.isTTY)

const sweepLine = (result: Result): string =>
  isLeft(result)
    ? `${jsonText(result.left.parameter)}  ${failureText(result)}`
    : [
        jsonText(result.right.parameter),
        `${result.right.values.length} values`,
        `${result.right.summary.rows} rows`,
        ...lastValueTexts(result.right.values).map((text) => `last ${text}`),
      ].join('  ')

/** One line for programs. Throws if a value has no JSON. */
const sweepJson = (result: Result): string => escapeUnsafe(stringify(result))

const sweepTable = (results: readonly Result[], width: number, { failed, dim }: Colours): readonly string[] =>
  drawTable(columnsOf(results, failed), width, dim)

const columnsOf = (results: readonly Result[], failed: Colours['failed']): readonly Column[] => [
  {
    title: 'parameter',
    align: 'left',
    rank: 0,
    width: 20,
    cells: results.map((result) => ({
      text: jsonText(isLeft(result) ? result.left.parameter : result.right.parameter),
      canCut: true,
    })),
  },
  {
    title: 'values',
    align: 'right',
    rank: 2,
    width: 0,
    cells: results.map((result) => ({ text: isLeft(result) ? '' : String(result.right.values.length) })),
  },
  {
    title: 'rows',
    align: 'right',
    rank: 3,
    width: 0,
    cells: results.map((result) => ({ text: isLeft(result) ? '' : String(result.right.summary.rows) })),
  },
  {
    title: 'last value',
    align: 'left',
    rank: 1,
    width: 40,
    cells: results.map((result) =>
      isLeft(result)
        ? { text: failureText(result), paint: failed, canCut: true }
        : { text: lastValueTexts(result.right.values).join(''), canCut: true },
    ),
  },
]

const failureText = ({ left: { message } }: Extract<Result, { _tag: 'Left' }>): string =>
  printable(`failed: ${message}`)

const lastValueTexts = (values: readonly unknown[]): readonly string[] => values.slice(-1).map(jsonText)
