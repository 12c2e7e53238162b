import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { left } from 'fp-ts/lib/Either.js'
import { catchError, concat, from, map, mergeMap, Observable, take, tap } from 'rxjs'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { FailureCause } from '../../base/errors/model.js'
import type { FileUrl } from '../recording/read/source.js'
import type { Job, Task, TaskResult } from './messages.js'

/** Runs a job in a new thread, and emits a result for each task. Fails with a `FailureCause` if the thread ends before. */
export type StartThread = (job: Job) => Observable<TaskResult>

/**
 * Runs jobs, at most `threads` at a time, each in a new thread. If a thread ends early, it is unknown which of its
 * tasks ended it: the tasks without a result run again, in two jobs of half the size, one after the other. If a task runs
 * alone and ends its thread, its result is the fault.
 */
export const runJobs$ = (
  jobs: readonly Job[],
  threads: number,
  startThread$: StartThread,
): Observable<TaskResult> => {
  const run$ = (job: Job): Observable<TaskResult> => {
    const unfinished = new Map(job.tasks.map((task) => [task.index, task]))
    return startThread$(job).pipe(
      take(job.tasks.length),
      tap(({ index }) => unfinished.delete(index)),
      catchError((cause: FailureCause) => again$(job, [...unfinished.values()], cause)),
    )
  }

  const again$ = (job: Job, tasks: readonly Task[], cause: FailureCause): Observable<TaskResult> => {
    if (job.tasks.length === 1)
      return from(tasks).pipe(
        map(({ index }) => ({ _tag: 'Result', index, outcome: left({ why: 'worker', cause }) })),
      )
    const middle = Math.ceil(tasks.length / 2)
    const halves = [tasks.slice(0, middle), tasks.slice(middle)].filter(({ length }) => length > 0)
    return concat(...halves.map((half) => run$({ ...job, tasks: half })))
  }

  return from(jobs).pipe(mergeMap(run$, threads))
}

/** The program of the worker threads, and how Node runs it. The public types need no types of Node. */
export interface WorkerProgram {
  readonly url: FileUrl
  /** Default: no limits besides those of Node. */
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number }
}

/** `StartThread` in a worker thread, until an unsubscription terminates it. */
export const runInThread$ = ({ url, resourceLimits = {} }: WorkerProgram, job: Job): Observable<TaskResult> =>
  new Observable((subscriber) => {
    const end = (thrown: unknown): void => subscriber.error(causeOf(thrown))
    let uncaught: unknown
    try {
      const name = 'svc-streams sweep'
      const worker = new Worker(new URL(url.href), { workerData: job, resourceLimits, name })
      // A strategy may post messages of its own.
      worker.on('message', (message: TaskResult | { readonly _tag?: undefined } | null) => {
        if (message?._tag === 'Result') subscriber.next(message)
      })
      // Before the exit, which follows the last message.
      worker.on('error', (thrown: unknown) => (uncaught = thrown))
      worker.on('messageerror', end)
      worker.on('exit', (code) => end(uncaught ?? new Error(`it exited with code ${code}`)))
      subscriber.add(() => void worker.terminate())
    } catch (thrown) {
      end(thrown)
    }
  })

/** The program in the installed package, which is found by its name. Throws a `ConfigurationError` in a bundle without the package. */
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
