import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import type { SweepFault } from '../../../base/errors/sweep-error.js'
import { oneLine, printable } from '../../../base/errors/text.js'
import { replaySettings } from '../../recording/replay/replay-options.js'
import { openedSource } from '../shared-columns.js'
import { sender, type Job, type Task, type TaskResult, type WorkerMessage } from '../messages.js'
import type { SweepStrategy } from '../sweep.js'
import { runTasks$ } from './run-tasks.js'

// The program of a worker thread. It runs one job, and posts each result. The main thread then terminates it.

/** Number of rows after which the worker reports how many it has played. */
const rowsPerReport = 4096

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

  const { files, strategy, trace } = job
  const settings = replaySettings(job.replay)
  const sources = files.map((file) => openedSource(file, settings.columns))
  const runPass = async (tasks: readonly Task[], module: string, lines?: number) => {
    const loaded = await loadStrategy(module)
    if (isLeft(loaded)) {
      for (const { index } of tasks) postFault(index, loaded.left)
      return
    }
    const { countsFrom = -Infinity } = job
    const pass = { sources, settings, tasks, countsFrom, isTraced: trace !== undefined, lines }
    await runTasks$(pass, loaded.right, job.reportsRows ? onRow : () => undefined).forEach((result) => {
      reportRows()
      postResult(result)
    })
  }

  if (trace === undefined) return runPass(job.tasks, strategy)
  if ('lines' in trace) return runPass(job.tasks, strategy, trace.lines)
  for (const [index, lines] of trace.prefixes.entries()) {
    // A module is evaluated anew for each fragment of its URL.
    await runPass(job.tasks.slice(index, index + 1), `${strategy}#${index}`, lines)
  }
}

type Loaded = Either<SweepFault, SweepStrategy<unknown, unknown>>

/** Imports the module of a strategy. Left: it cannot be imported, or its default export is not a function. */
const loadStrategy = async (url: string): Promise<Loaded> => {
  try {
    const module = (await import(url)) as { readonly default?: unknown }
    const strategy = isFunction(module.default) ? module.default : interopDefault(module.default)
    return isFunction(strategy) ? right(strategy) : failed(new Error(expected(url)))
  } catch (thrown) {
    return thrown instanceof SyntaxError ? misspelt(thrown, url) : failed(thrown)
  }
}

const failed = (thrown: unknown): Loaded => left({ why: 'module', cause: causeOf(thrown) })

/**
 * A syntax error with its file. Its message names none, and its stack does so only for some errors: then also the line. The
 * module itself may be correct, and one of its imports is not.
 */
const misspelt = (thrown: SyntaxError, url: string): Loaded => {
  const cause = causeOf(thrown)
  if (cause.message.includes('file:')) return left({ why: 'module', cause })
  const place = /file:[^\s)]+?:\d+(?=[:)\s]|$)/.exec(thrown.stack ?? '')?.[0]
  const where = place ?? `${url.replace(/#.*/, '')} or one of its imports`
  return left({ why: 'module', cause: { ...cause, message: `${cause.message}, in ${printable(where)}` } })
}

const isFunction = (value: unknown): value is SweepStrategy<unknown, unknown> => typeof value === 'function'

/** The default export of an ES module that a compiler has written as CommonJS. */
const interopDefault = (exported: unknown): unknown =>
  typeof exported === 'object' && exported !== null && 'default' in exported ? exported.default : undefined

const expected = (url: string): string =>
  `expected (client, parameter) => Observable as the default export of ${oneLine(url)}`

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
