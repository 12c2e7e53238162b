import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { defer, filter, map, tap, type Observable } from 'rxjs'
import { sweepError } from '../errors/sweep-error.js'
import type { FileUrl } from '../recording/read/source.js'
import type { TaskResult, WorkerMessage } from './messages.js'
import { sweepSettings, type SweepOptions } from './options.js'
import { dealt, tasksOf } from './parameters.js'
import { inOrder } from './pool/in-order.js'
import { runJobs$ } from './pool/run-jobs.js'
import { runInThread$, type WorkerProgram } from './pool/worker-thread.js'
import type { SweepResult } from './result.js'
import { workerFiles, type SweepSource } from './source.js'
import { strategyUrl } from './strategy-url.js'
import { packagedProgram } from './worker-program.js'

/** How far a sweep is. */
export interface SweepProgress {
  /** Number of parameters that have a result. */
  readonly finished: number
  /** Number of rows that were played, over all worker threads. */
  readonly rows: number
}

export interface SweepEnvironment {
  readonly program: () => WorkerProgram
  /** Called often while the sweep runs. */
  readonly onProgress?: (progress: SweepProgress) => void
}

/** The `sweep` of a program for the worker threads. */
export const sweepOn =
  ({ program, onProgress }: SweepEnvironment) =>
  <P, A>(
    source: SweepSource,
    strategy: string | FileUrl,
    parameters: readonly P[],
    options: SweepOptions = {},
  ): Observable<SweepResult<P, A>> => {
    const { workers, replay } = sweepSettings(options)
    const job = {
      files: workerFiles(source),
      strategy: strategyUrl(strategy),
      replay,
      reportsRows: onProgress !== undefined,
    }
    const jobs = dealt(tasksOf(parameters), workers).map((tasks) => ({ ...job, tasks }))
    const given = [...parameters]
    const threads = program()

    return defer(() =>
      runJobs$(jobs, workers, (each) => runInThread$(threads, each)).pipe(
        reportProgress(onProgress),
        filter((message) => message._tag === 'Result'),
        inOrder(),
        map((result) => eventOf<P, A>(result, given)),
      ),
    )
  }

const reportProgress = (onProgress: SweepEnvironment['onProgress']) => {
  let progress: SweepProgress = { finished: 0, rows: 0 }
  return tap((message: WorkerMessage) => {
    progress =
      message._tag === 'Result'
        ? { ...progress, finished: progress.finished + 1 }
        : { ...progress, rows: progress.rows + message.rows }
    onProgress?.(progress)
  })
}

const eventOf = <P, A>({ index, outcome }: TaskResult, parameters: readonly P[]): SweepResult<P, A> => {
  const parameter = parameters[index] as P
  if (isLeft(outcome)) return left(sweepError(parameter, outcome.left))
  const { values, rows } = outcome.right
  return right({ parameter, values: values as readonly A[], summary: { rows } })
}

/**
 * Runs one strategy with each of the parameters over a recording, on worker threads. Each thread reads the recording once,
 * for all its parameters, in virtual time. Emits one event per parameter, in the order of the parameters, as soon as it
 * and all before it have ended, and then completes. The values are those of `replay(source, { speed: Infinity }).run$`.
 *
 * - `source`: the path or `file:` URL of a recording, or an array of these.
 * - `strategy`: the `file:` URL of a module whose default export is `(client, parameter) => Observable`. It may be an ES
 *   module or CommonJS, or TypeScript if the runtime itself runs that, as Node does from 22.18 on.
 * - `parameters`: data that `structuredClone` can copy. So must be the values that the strategy emits.
 *
 * A parameter without a result is a `SweepError`; the others continue. If a worker thread ends, by an uncaught exception,
 * `process.exit` or lack of memory, its unfinished parameters run again in new threads, in smaller groups, until the one
 * that ended it is alone. Parameters in one thread share the variables of the module: keep the state of a strategy
 * inside the function.
 *
 * The threads start on subscription. An unsubscription terminates them. Memory grows with the values of the
 * strategies, not with the recording.
 *
 * Throws a `ConfigurationError` for an invalid argument and a misspelt option name.
 *
 * @example
 * const strategy = new URL('strategy.js', import.meta.url)
 * await sweep('market.ndjson', strategy, [5, 10, 20], { workers: 2 }).forEach((result) => console.log(result))
 */
// eslint-disable-next-line rxjs-x/finnish -- `sweep` without `$` is the public name
export const sweep = sweepOn({ program: () => ({ url: packagedProgram() }) })
