import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map, mergeMap, type Observable } from 'rxjs'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import { sweepError, type SweepError } from './sweep-error.js'
import type { FileUrl } from '../recording/read/source.js'
import type { StrategyClient } from '../replay/strategy-client.js'
import type { Job, Task, TaskResult } from './messages.js'
import { sweepSettings, type SweepOptions } from './options.js'
import { packagedProgram, runInThread$, runJobs$, type WorkerProgram } from './worker-pool.js'

/** A file by its path or `file:` URL. */
export type SweepPart = string | FileUrl

/** The recording of a sweep: files that each worker opens. An array is a list of files, in order. */
export type SweepSource = SweepPart | readonly SweepPart[]

/** The default export of a strategy's module. */
export type SweepStrategy<P, A> = (client: StrategyClient, parameter: P) => Observable<A>

/** The result of a strategy with one parameter. */
export interface SweepRun<P, A> {
  /** The parameter, as given to `sweep`. */
  readonly parameter: P
  /** The values that the strategy emitted, in order. */
  readonly values: readonly A[]
  readonly summary: SweepSummary
}

export interface SweepSummary {
  /** Number of rows of the recording, without headers and warm-up, that were played until the strategy's stream ended. */
  readonly rows: number
}

export type SweepResult<P, A> = Either<SweepError<P>, SweepRun<P, A>>

export interface SweepEnvironment extends Partial<Pick<Job, 'endsFlat' | 'keepsTrades' | 'costs'>> {
  /** Default: that of the installed package. */
  readonly program?: () => WorkerProgram
}

/** The `sweep` of a program for the worker threads. */
export const sweepOn =
  ({ program = packagedProgram, ...account }: SweepEnvironment) =>
  <P, A>(
    source: SweepSource,
    strategy: string | FileUrl,
    parameters: readonly P[],
    options: SweepOptions = {},
  ): Observable<SweepResult<P, A>> => {
    const { workers, environment, range, warmUp } = sweepSettings(options)
    const job = {
      files: filesOf(source),
      strategy: strategyUrl(strategy),
      ...{ environment, range, warmUp },
      ...account,
    }
    const tasks = tasksByWorker(tasksOf(parameters), workers)
    const given = [...parameters]
    const threads = program()
    const jobs = tasks.map((some) => ({ ...job, tasks: some }))

    return defer(() =>
      runJobs$(jobs, workers, (each) => runInThread$(threads, each)).pipe(
        inOrder(),
        map((result) => eventOf<P, A>(result, given)),
      ),
    )
  }

/**
 * Runs one strategy with each of the parameters over a recording, on worker threads. Each thread plays the recording once, for all its
 * parameters, in virtual time. Emits one event per parameter, in the order of the parameters, then completes. An event is emitted as soon
 * as the runs of this and all earlier parameters have ended. The values are those of `replay(source, { speed: Infinity }).run$`.
 *
 * - `source`: the path or `file:` URL of a recording, or an array of these.
 * - `strategy`: the `file:` URL of a module whose default export is `(client, parameter) => Observable`, or
 *   `(client, account, parameter) => Observable` of orders beside an export `options` of `paper`. It may be an ES module or CommonJS,
 *   or TypeScript if the runtime itself runs TypeScript, such as Node from 22.18 on.
 * - `parameters`: data that `structuredClone` can copy. The values that the strategy emits must be such data too.
 *
 * A parameter without a result is a `SweepError`; the other parameters continue. A worker thread may end by an uncaught
 * exception, `process.exit` or lack of memory. Its unfinished parameters then run again in new threads, in smaller
 * groups, until the parameter that ended the thread runs alone. Parameters in one thread share the variables of the
 * module: keep the state of a strategy inside the function.
 *
 * If the strategy has an account, or returns what `paper` returns, its only value is `Folded`: the figures and the curve of the
 * account. With `warmUp`, the account starts flat at `from`.
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
export const sweep = sweepOn({})

/** Throws a `ConfigurationError` for a value that is not a source, or that a worker cannot open. */
const filesOf = (source: SweepSource): readonly string[] =>
  [source].flat().map((part) => {
    const file = typeof part === 'string' ? part : hrefOf(part, ['file:'])
    if (file !== undefined) return file
    throw new ConfigurationError(
      'source',
      'expected a path, a file URL, or an array of these: each worker opens the files by itself',
    )
  })

/** Throws a `ConfigurationError` for a value that is not the URL of a module. */
const strategyUrl = (strategy: string | FileUrl): string => {
  const url = hrefOf(strategy, ['file:', 'data:'])
  if (url !== undefined) return url
  throw new ConfigurationError(
    'strategy',
    "expected the file: URL of a module, such as import.meta.resolve('./strategy.js'); " +
      'pathToFileURL of node:url makes one of a path',
  )
}

/** The text of a URL with one of these protocols; undefined for any other value. */
const hrefOf = (url: unknown, protocols: readonly string[]): string | undefined => {
  const href = typeof url === 'object' && url !== null && 'href' in url ? url.href : url
  if (typeof href !== 'string' || !URL.canParse(href)) return undefined
  return protocols.includes(new URL(href).protocol) ? href : undefined
}

/** The tasks with copies of the parameters. Throws a `ConfigurationError` for a parameter that cannot be cloned. */
export const tasksOf = (parameters: readonly unknown[]): readonly Task[] => {
  if (!Array.isArray(parameters)) throw new ConfigurationError('parameters', 'expected an array')
  // A hole is `undefined`, which `map` would leave out.
  return Array.from(parameters, (parameter: unknown, index) => ({
    index,
    parameter: cloneOf(parameter, index),
  }))
}

const cloneOf = (parameter: unknown, index: number): unknown => {
  try {
    return structuredClone(parameter)
  } catch (thrown) {
    const { message } = causeOf(thrown)
    throw new ConfigurationError('parameters', `parameter ${index} cannot be cloned: ${message}`)
  }
}

/** The tasks of each worker, round-robin, because neighbouring parameters often take the same time. */
export const tasksByWorker = (tasks: readonly Task[], workers: number): readonly (readonly Task[])[] => {
  const count = Math.min(workers, tasks.length)
  return Array.from({ length: count }, (_, worker) => tasks.filter(({ index }) => index % count === worker))
}

const eventOf = <P, A>({ index, outcome }: TaskResult, parameters: readonly P[]): SweepResult<P, A> => {
  const parameter = parameters[index] as P
  if (isLeft(outcome)) return left(sweepError(parameter, outcome.left))
  const { values, rows } = outcome.right
  return right({ parameter, values: values as readonly A[], summary: { rows } })
}

/** Emits the values in the order of their indices from 0, each as soon as all earlier values have arrived. */
export const inOrder =
  <A extends { readonly index: number }>() =>
  (source$: Observable<A>): Observable<A> =>
    defer(() => {
      const waiting = new Map<number, A>()
      let next = 0
      const dueAfter = (value: A): readonly A[] => {
        waiting.set(value.index, value)
        const due: A[] = []
        for (let each = waiting.get(next); each !== undefined; each = waiting.get(next)) {
          waiting.delete(next++)
          due.push(each)
        }
        return due
      }
      return source$.pipe(mergeMap(dueAfter))
    })
