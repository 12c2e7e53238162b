import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import type { SweepFault } from '../../../base/errors/sweep-error.js'
import { oneLine, printable } from '../../../base/errors/text.js'
import { chunkBytes } from '../../../wire/platform/node/files.js'
import { nodePlatform } from '../../recording/on-node.js'
import { openableSources, type OpenableSource, type SourcePlatform } from '../../recording/read/source.js'
import { replaySettings } from '../../recording/replay/replay-options.js'
import {
  sender,
  type Job,
  type StandIn,
  type Task,
  type TaskResult,
  type WorkerFile,
  type WorkerMessage,
} from '../messages.js'
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
  const runPass = async (
    sources: readonly OpenableSource[],
    tasks: readonly Task[],
    module: string,
    lines?: number,
  ) => {
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

  if (trace === undefined) return runPass(openFiles(nodePlatform, files), job.tasks, strategy)
  redirectReads(trace.standIns, () => post({ _tag: 'RecordingRead', sender }))
  const sources = openFiles(unredirected, files)
  if (trace.prefixes === undefined) return runPass(sources, job.tasks, strategy, trace.lines)
  for (const [index, lines] of trace.prefixes.entries()) {
    // A module is evaluated anew for each fragment of its URL.
    const module = `${strategy}#${index}`
    await runPass(sources, job.tasks.slice(index, index + 1), module, lines)
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

/** The files, as a worker opens them. */
const openFiles = (platform: SourcePlatform, files: readonly WorkerFile[]): readonly OpenableSource[] =>
  openableSources(
    platform,
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

/** The functions of `node:fs` before they are redirected. */
const originalFs = { ...fs }

/** Reads the files of a recording for the replay, which does not count as a read of the strategy. */
const unredirected: SourcePlatform = {
  ...nodePlatform,
  stringSource: (path) => ({
    ...nodePlatform.stringSource(path),
    open: () => originalFs.createReadStream(path, { fs: originalFs, highWaterMark: chunkBytes }),
  }),
}

/**
 * Redirects reads of some files to other files, for all modules of this thread: a strategy that reads the recording
 * itself must not get more rows than the prefix has. `onRead`: called at the first read of such a file.
 */
const redirectReads = (standIns: readonly StandIn[], onRead: () => void): void => {
  const { statSync } = fs
  // Any of its paths names a file: also through a link.
  const identityOf = (path: string): string => {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  }
  const standInOf = new Map(standIns.map(({ path, standIn }) => [identityOf(path), standIn]))
  let hasRead = false
  const redirected = (path: unknown): unknown => {
    const named = path instanceof URL ? fileURLToPath(path) : Buffer.isBuffer(path) ? path.toString() : path
    if (typeof named !== 'string') return path
    try {
      const standIn = standInOf.get(identityOf(named))
      if (standIn === undefined) return path
      if (!hasRead) onRead()
      hasRead = true
      return standIn
    } catch {
      return path
    }
  }
  redirect(fs, readers, redirected)
  redirect(fs.promises, promisedReaders, redirected)
  syncBuiltinESMExports()
}

/** The functions of `node:fs` that read a file by a path, which is their first argument. */
const readers = [
  'createReadStream',
  'open',
  'openAsBlob',
  'openSync',
  'readFile',
  'readFileSync',
  'stat',
  'statSync',
] as const

/** The same functions of `node:fs/promises`. */
const promisedReaders = ['open', 'readFile', 'stat'] as const

type Reader = (...args: readonly unknown[]) => unknown

const redirect = <Name extends string>(
  module: Partial<Record<Name, unknown>>,
  names: readonly Name[],
  redirected: (path: unknown) => unknown,
): void => {
  for (const name of names) {
    const read = module[name] as Reader | undefined
    if (read !== undefined)
      module[name] = ((path, ...rest) => read(redirected(path), ...rest)) satisfies Reader
  }
}

if (parentPort === null) throw new Error('this module is the program of a worker thread of svc-streams/sweep')
// Not awaited: a thread of Deno that exceeds its memory would never end.
void run(workerData as Job, parentPort)
