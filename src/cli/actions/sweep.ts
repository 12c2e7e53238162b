import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { endWith, firstValueFrom, ignoreElements, map, merge, tap, type Observable } from 'rxjs'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { replay } from '../../recording/index.js'
import type { SweepResult } from '../../sweep/index.js'
import { sweepOn, type SweepProgress } from '../../sweep/sweep.js'
import { packagedProgram } from '../../sweep/worker-pool.js'
import { rxClock } from '../../time/rx-clock.js'
import { usageError } from '../input/deployment.js'
import { readParametersFile } from '../input/parameters-file.js'
import { coloursFor } from '../output/colours.js'
import { showProgressLine } from '../output/progress-line.js'
import { sweepJson, sweepLine, sweepProgressLine, sweepTable } from '../output/sweep-text.js'
import { stop$ } from '../stop.js'
import { canRedraw } from './show-rows.js'

/** The flags, as commander names and parses them. */
export interface SweepFlags {
  readonly parameters: string
  readonly workers: number
  /** In ms since the Unix epoch. */
  readonly from?: number
  readonly to?: number
  readonly json?: boolean
}

type Result = SweepResult<unknown, unknown>

/** Runs a strategy with each parameter, until the end or until the user stops the command. */
export const sweepRecordings = async (
  command: Command,
  files: readonly string[],
  { parameters: path, workers, json = false, ...range }: SweepFlags,
): Promise<void> => {
  const recordings = files.slice(0, -1)
  const strategy = files.at(-1) ?? ''
  const problem = argumentProblem(files, range)
  if (problem !== undefined) return usageError(command, problem)
  const parameters = readParametersFile(path)
  if (isLeft(parameters)) return usageError(command, parameters.left)
  if (!existsSync(strategy))
    throw new Error(`${printable(strategy)}: the module of the strategy does not exist`)
  await checkRecording(recordings, range)

  const count = parameters.right.length
  const startAt = rxClock.wallClock()
  let progress: SweepProgress = { finished: 0, rows: 0 }
  const sweep$ = sweepOn({
    program: () => ({ url: packagedProgram() }),
    onProgress: (latest) => (progress = latest),
  })
  const result$ = sweep$<unknown, unknown>(recordings, pathToFileURL(resolve(strategy)), parameters.right, {
    workers,
    ...range,
  })
  const hideProgress = isProgressVisible(json)
    ? showProgressLine(process.stderr, () =>
        sweepProgressLine({ ...progress, parameters: count, duration: rxClock.wallClock() - startAt }),
      )
    : () => undefined
  const output =
    json || !canRedraw(process.stdout) ? printLines(json ? sweepJson : colouredLine) : collectTable()
  const completed = await showAll(result$, output).finally(hideProgress)
  output.finish()
  if (!completed)
    return void process.stderr.write(`stopped: ${progress.finished} of ${count} parameters have ended\n`)
  if (output.failures() > 0) throw new Error(`${output.failures()} of ${count} parameters have no result`)
}

const argumentProblem = (
  files: readonly string[],
  { from = -Infinity, to = Infinity }: Pick<SweepFlags, 'from' | 'to'>,
): string | undefined => {
  if (files.length < 2) return 'give a recording, and after it the module of the strategy'
  if (files.includes('-')) return '-: each worker thread reads the recording; give a file, not standard input'
  return from >= to ? '--to: expected a time after --from' : undefined
}

/** Throws if the recording has no header. Each parameter would fail for the same reason. */
const checkRecording = async (
  files: readonly string[],
  range: Pick<SweepFlags, 'from' | 'to'>,
): Promise<void> => {
  await using client = replay(files, range)
  const header = await client.header()
  if (isLeft(header)) throw new Error(printable(renderError(header.left)))
}

/** Shows each result. Resolves to false if the user stops the command. */
const showAll = (result$: Observable<Result>, { show }: ResultOutput): Promise<boolean> =>
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
      stop$(undefined).pipe(map(() => false)),
    ),
  )

interface ResultOutput {
  readonly show: (result: Result) => void
  /** Called once, after the last result. */
  readonly finish: () => void
  /** Number of parameters without a result. */
  readonly failures: () => number
}

/** Prints each result at once, as a line. */
const printLines = (lineOf: (result: Result) => string): ResultOutput => {
  let failures = 0
  return {
    show: (result) => {
      if (isLeft(result)) failures++
      process.stdout.write(`${lineOf(result)}\n`)
    },
    finish: () => undefined,
    failures: () => failures,
  }
}

const colouredLine = (result: Result): string => {
  const line = sweepLine(result)
  return isLeft(result) ? coloursFor(process.stdout).failed(line) : line
}

/** Prints a table of all results at the end: its columns are as wide as their widest cells. */
const collectTable = (): ResultOutput => {
  const results: Result[] = []
  return {
    show: (result) => results.push(result),
    finish: () => {
      const lines = sweepTable(results, process.stdout.columns, coloursFor(process.stdout))
      if (results.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
    },
    failures: () => results.filter(isLeft).length,
  }
}

/** A terminal shows the progress, unless lines of JSON are written to it. */
const isProgressVisible = (json: boolean): boolean =>
  canRedraw(process.stderr) && !(json && process.stdout.isTTY)
