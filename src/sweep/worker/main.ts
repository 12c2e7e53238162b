import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concatMap, map, merge, Observable, of, toArray } from 'rxjs'
import { causeOf } from '../../errors/failure-cause.js'
import { strategyFault, type SweepFault } from '../../errors/sweep-error.js'
import { oneLine } from '../../errors/text.js'
import { nodePlatform } from '../../recording/on-node.js'
import { openableSources, type OpenableSource } from '../../recording/read/source.js'
import { Playback } from '../../recording/replay/playback.js'
import { virtualClock } from '../../recording/replay/replay-clock.js'
import { replaySettings } from '../../recording/replay/replay-options.js'
import { createSession } from '../../recording/replay/replay-session.js'
import { runStrategy$, type CreateStrategyClient } from '../../recording/replay/run-strategy.js'
import { delay } from '../../time/deadline.js'
import { systemClock } from '../../time/system-clock.js'
import {
  sender,
  type Job,
  type Played,
  type Task,
  type TaskResult,
  type WorkerFile,
  type WorkerMessage,
} from '../messages.js'
import type { SweepStrategy } from '../sweep.js'

// The program of a worker thread. It runs one job, and posts each result. The main thread then terminates it.

/** Number of rows after which the worker reports how many it has played. */
const rowsPerReport = 4096

/**
 * In ms. RxJS throws an error that has no handler in a timer. The timers that are due run before a result is emitted, so
 * that such an error always ends the thread before that.
 */
const settleTime = 1

const run = async (job: Job, port: MessagePort): Promise<void> => {
  const post = (message: WorkerMessage): void => port.postMessage(message)
  const postFault = (index: number, fault: SweepFault): void =>
    post({ _tag: 'Result', sender, index, outcome: left(fault) })

  const postResult = (result: TaskResult): void => {
    try {
      post(result)
    } catch (thrown) {
      postFault(result.index, uncloneable(result, thrown))
    }
  }

  let rows = 0
  const reportRows = (): void => {
    if (rows > 0) post({ _tag: 'Rows', sender, rows })
    rows = 0
  }
  const onRow = (): void => {
    if (++rows === rowsPerReport) reportRows()
  }

  const loaded = await loadStrategy(job.strategy)
  if (isLeft(loaded)) {
    for (const { index } of job.tasks) postFault(index, loaded.left)
    return
  }
  await runTasks$(job, loaded.right, job.reportsRows ? onRow : () => undefined).forEach((result) => {
    reportRows()
    postResult(result)
  })
}

type Loaded = Either<SweepFault, SweepStrategy<unknown, unknown>>

/** Imports the module of a strategy. Left: it cannot be imported, or its default export is not a function. */
const loadStrategy = async (url: string): Promise<Loaded> => {
  try {
    const module = (await import(url)) as { readonly default?: unknown }
    const strategy = isFunction(module.default) ? module.default : interopDefault(module.default)
    return isFunction(strategy) ? right(strategy) : failed(new Error(expected(url)))
  } catch (thrown) {
    return failed(thrown)
  }
}

const failed = (thrown: unknown): Loaded => left({ why: 'module', cause: causeOf(thrown) })

const isFunction = (value: unknown): value is SweepStrategy<unknown, unknown> => typeof value === 'function'

/** The default export of an ES module that a compiler has written as CommonJS. */
const interopDefault = (exported: unknown): unknown =>
  typeof exported === 'object' && exported !== null && 'default' in exported ? exported.default : undefined

const expected = (url: string): string =>
  `expected (client, parameter) => Observable as the default export of ${oneLine(url)}`

/** Runs the strategy with each parameter, in one pass over the recording. Emits each result when its stream has ended. */
const runTasks$ = (
  { files, replay, tasks }: Job,
  strategy$: SweepStrategy<unknown, unknown>,
  onRow: () => void,
): Observable<TaskResult> =>
  new Observable((subscriber) => {
    const { environment, range } = replaySettings(replay)
    const clock = systemClock()
    let rows = 0
    const playback = new Playback(openFiles(files), range, virtualClock(), clock, (line) => {
      if (line._tag === 'Recording') return
      rows++
      onRow()
    })

    /** Each strategy has a client of its own: `close` and `inspect` do not concern the other strategies of the pass. */
    const createClient: CreateStrategyClient = (end) => {
      const onClose = (completeStreams: () => void): void => {
        completeStreams()
        end()
      }
      return createSession(playback, environment, onClose).client
    }

    /** A stream that the end of a damaged recording has ended has no result. */
    const outcomeOf = async (ended: Either<SweepFault, Played>): Promise<Either<SweepFault, Played>> => {
      const replayed = playback.isOver ? await playback.finished() : right(undefined)
      await new Promise<void>((resolve) => void delay(clock, settleTime, resolve))
      return isLeft(replayed) ? left({ why: 'recording', error: replayed.left }) : ended
    }

    const result$ = ({ index, parameter }: Task): Observable<TaskResult> =>
      runStrategy$(playback, createClient, (client) => strategy$(client, parameter)).pipe(
        toArray(),
        map((values) => right({ values, rows })),
        catchError((thrown: unknown) => of(left(strategyFault(thrown)))),
        concatMap(outcomeOf),
        map((outcome) => ({ _tag: 'Result', sender, index, outcome })),
      )

    return merge(...tasks.map(result$)).subscribe(subscriber)
  })

/** The files, as a worker opens them. */
const openFiles = (files: readonly WorkerFile[]): readonly OpenableSource[] =>
  openableSources(
    nodePlatform,
    files.map(({ kind, name }) => (kind === 'path' ? name : new URL(name))),
  )

/** Finds the value that cannot be cloned. */
const uncloneable = ({ outcome }: TaskResult, thrown: unknown): SweepFault => {
  const values = isLeft(outcome) ? [] : outcome.right.values
  for (const [index, value] of values.entries()) {
    try {
      structuredClone(value)
    } catch (cause) {
      return { why: 'value', index, cause: causeOf(cause) }
    }
  }
  return { why: 'value', index: 0, cause: causeOf(thrown) }
}

if (parentPort === null) throw new Error('this module is the program of a worker thread of svc-streams/sweep')
// Not awaited: a thread of Deno that exceeds its memory would never end.
void run(workerData as Job, parentPort)
