import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { left } from 'fp-ts/lib/Either.js'
import { concat, defer, EMPTY, filter, from, mergeMap, Observable, of } from 'rxjs'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { FailureCause } from '../../base/errors/model.js'
import type { FileUrl } from '../recording/read/source.js'
import type { Job, Task, WorkerMessage } from './messages.js'

/** The thread ended before each task had a result. The last message of a thread. */
export interface ThreadEnded {
  readonly _tag: 'Ended'
  readonly unfinished: readonly Task[]
  readonly cause: FailureCause
}

/** Runs a job in a new thread. */
export type StartThread = (job: Job) => Observable<WorkerMessage | ThreadEnded>

/**
 * Runs jobs, at most `threads` at a time, each in a new thread. If a thread ends early, it is unknown which of its
 * tasks ended it: the tasks without a result run again, in two jobs of half the size, one after the other. If a task runs
 * alone and ends its thread, its result is the fault.
 */
export const runJobs$ = (
  jobs: readonly Job[],
  threads: number,
  startThread$: StartThread,
): Observable<WorkerMessage> => {
  const run$ = (job: Job): Observable<WorkerMessage> => {
    let ended: ThreadEnded | undefined
    const isMessage = (message: WorkerMessage | ThreadEnded): message is WorkerMessage => {
      if (message._tag === 'Ended') ended = message
      return message._tag !== 'Ended'
    }
    const thread$ = startThread$(job).pipe(filter(isMessage))
    return concat(
      thread$,
      defer(() => (ended === undefined ? EMPTY : again$(job, ended))),
    )
  }

  const again$ = (job: Job, { unfinished, cause }: ThreadEnded): Observable<WorkerMessage> => {
    const [task] = unfinished
    if (task === undefined) return EMPTY
    if (job.tasks.length === 1)
      return of<WorkerMessage>({ _tag: 'Result', index: task.index, outcome: left({ why: 'worker', cause }) })
    const middle = Math.ceil(unfinished.length / 2)
    const halves = [unfinished.slice(0, middle), unfinished.slice(middle)].filter(({ length }) => length > 0)
    return concat(...halves.map((tasks) => run$({ ...job, tasks })))
  }

  return from(jobs).pipe(mergeMap(run$, threads))
}

/** The program of the worker threads, and how Node runs it. The public types need no types of Node. */
export interface WorkerProgram {
  readonly url: FileUrl
  /** Default: no limits besides those of Node. */
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number }
}

/**
 * Runs a job in a new worker thread. Completes when each task has a result, or when the thread has ended. Unsubscribing
 * terminates the thread.
 */
export const runInThread$ = (
  { url, resourceLimits = {} }: WorkerProgram,
  job: Job,
): Observable<WorkerMessage | ThreadEnded> =>
  new Observable((subscriber) => {
    const unfinished = new Map(job.tasks.map((task) => [task.index, task]))
    let cause: FailureCause | undefined
    const end = (ended: FailureCause): void => {
      subscriber.next({ _tag: 'Ended', unfinished: [...unfinished.values()], cause: ended })
      subscriber.complete()
    }
    try {
      const name = 'svc-streams sweep'
      const worker = new Worker(new URL(url.href), { workerData: job, resourceLimits, name })
      worker.on('message', (message: WorkerMessage | { readonly _tag?: undefined } | null) => {
        // A strategy may post messages of its own.
        if (message?._tag !== 'Result' && message?._tag !== 'Rows') return
        subscriber.next(message)
        if (message._tag === 'Result') unfinished.delete(message.index)
        if (unfinished.size === 0) subscriber.complete()
      })
      // Before the exit.
      worker.on('error', (thrown: unknown) => (cause = causeOf(thrown)))
      worker.on('messageerror', (thrown) => end(causeOf(thrown)))
      worker.on('exit', (code) => end(cause ?? causeOf(new Error(`it exited with code ${code}`))))
      subscriber.add(() => void worker.terminate())
    } catch (thrown) {
      end(causeOf(thrown))
    }
  })

/**
 * The program of the worker threads, in the installed package, which is found by its name. Throws a
 * `ConfigurationError` in a bundle without the package.
 */
export const packagedProgram = (): WorkerProgram => {
  try {
    const manifest = createRequire(import.meta.url).resolve('svc-streams/package.json')
    return { url: pathToFileURL(join(manifest, '../dist/sweep/worker/main.js')) }
  } catch {
    throw new ConfigurationError(
      'sweep',
      'cannot find the package svc-streams, which contains the program of the worker threads: install it beside this bundle',
    )
  }
}
