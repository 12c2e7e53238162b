import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { filter, map, Subscription, takeWhile, type Observable } from 'rxjs'
import type { RecordingError } from '../../../base/errors/model.js'
import { sweepError } from '../sweep-error.js'
import { nodePlatform } from '../../recording/on-node.js'
import { allTimes } from '../../recording/format/timeline.js'
import type { RecordingHeader, Row } from '../../recording/format/row.js'
import type { RecordingEntry } from '../../recording/read/read-entries.js'
import { readFirstLines } from '../../recording/read/recording-set.js'
import type { ReplayOptions } from '../../recording/replay/replay-options.js'
import { openableSources } from '../../recording/read/source.js'
import type { Job, Output, WorkerMessage } from '../messages.js'
import { runInThread$, runJobs$, type ThreadEnded, type WorkerProgram } from '../worker-pool.js'
import type { PrefixRuns } from './find-look-ahead.js'

// Lines are counted in the order in which all files of a recording are played, headers included.

/** The number of lines, or the error of a line that cannot be read. */
export const countLines = async (paths: readonly string[]): Promise<Either<RecordingError, number>> => {
  let count = 0
  const failure = await forEachLine(paths, Infinity, () => count++)
  return failure === undefined ? right(count) : left(failure)
}

/** A line of a recording. */
export interface LinePosition {
  readonly source: string
  /** Number of the line in its source, from 1. */
  readonly line: number
  /** The `at` of the line, in ms since the Unix epoch. */
  readonly at: number
}

/** The position of a line, from 1. */
export const locateLine = async (paths: readonly string[], line: number): Promise<LinePosition> => {
  let position: LinePosition | undefined
  let count = 0
  await forEachLine(paths, line, ({ line: { at }, origin }) => {
    count++
    position = { source: origin.source, line: origin.lineNumber, at }
  })
  if (position !== undefined && count === line) return position
  throw new Error(`the recording has no line ${line}: it has changed`)
}

/** A line of a recording, with its content. */
export interface PlayedLine extends LinePosition {
  readonly row: Row | RecordingHeader
}

/**
 * The last `count` lines up to the line with number `line`, or else those whose time is not later than `at`, in ms since the
 * Unix epoch.
 */
export const linesBefore = async (
  paths: readonly string[],
  { line = Infinity, at }: { readonly line: number | undefined; readonly at: number },
  count: number,
): Promise<readonly PlayedLine[]> => {
  const latest: PlayedLine[] = []
  await forEachLine(paths, line, ({ line: row, origin }) => {
    if (line === Infinity && row.at > at) return
    latest.push({ source: origin.source, line: origin.lineNumber, at: row.at, row })
    if (latest.length > count) latest.shift()
  })
  return latest
}

/** Calls back for each of the first lines. Resolves with the error that ends them. */
const forEachLine = async (
  paths: readonly string[],
  lines: number,
  onLine: (entry: RecordingEntry) => void,
): Promise<RecordingError | undefined> => {
  const closing = new Subscription()
  try {
    const sources = openableSources(nodePlatform, paths)
    for await (const entries of readFirstLines(sources, { range: allTimes, closing }, lines)) {
      if (isLeft(entries)) return entries.left
      for (const entry of entries.right) onLine(entry)
    }
    return undefined
  } finally {
    closing.unsubscribe()
  }
}

export interface PrefixRun {
  readonly program: WorkerProgram
  /** The files of the recording. */
  readonly paths: readonly string[]
  /** The URL of the strategy's module. */
  readonly strategy: string
  readonly parameter: unknown
  /** The path of a journal that the account of the strategy continues. Default: a new account. */
  readonly journal?: string
  /** The part that is played. Default: all. */
  readonly replay?: ReplayOptions
}

/**
 * Runs a strategy over prefixes of a recording. A run fails if it has no result.
 *
 * Prefixes that run together share a thread, in which each has a new instance of the strategy's module. The strategy
 * may keep state elsewhere, such as in a module that it imports. This state is from earlier, shorter prefixes: it
 * contains no later line, but it may change the outputs. Runs together end if the thread ends.
 */
export const prefixRuns = ({ program, paths, parameter, replay = {}, ...module }: PrefixRun): PrefixRuns => {
  const start$ = (job: Job): Observable<WorkerMessage | ThreadEnded> => runInThread$(program, job)
  const files = paths.map((name) => ({ kind: 'path', name }) as const)
  const common = { files, replay, ...module, reportsRows: false }

  const run$: PrefixRuns['run$'] = (lines) =>
    runJobs$([{ ...common, tasks: [{ index: 0, parameter }], trace: { lines } }], 1, start$).pipe(
      filter((message) => message._tag === 'Result'),
      map(({ outcome }) => {
        if (!isLeft(outcome)) return outcome.right.values as readonly Output[]
        const { message } = sweepError(parameter, outcome.left)
        throw new Error(outcome.left.why === 'module' ? message : `the run over ${lines} lines: ${message}`)
      }),
    )

  const runTogether$: PrefixRuns['runTogether$'] = (prefixes) => {
    const tasks = prefixes.map((_, index) => ({ index, parameter }))
    return start$({ ...common, tasks, trace: { prefixes } }).pipe(
      map(outputsOf),
      takeWhile((outputs) => outputs !== undefined),
    )
  }

  return { run$, runTogether$ }
}

/** The outputs of a prefix; `undefined` for any other message. */
const outputsOf = (message: WorkerMessage | ThreadEnded): readonly Output[] | undefined =>
  message._tag === 'Result' && !isLeft(message.outcome)
    ? (message.outcome.right.values as readonly Output[])
    : undefined
