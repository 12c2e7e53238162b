import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { isLeft, left } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { FailureCause } from '../../base/errors/model.js'
import type { FileUrl } from '../recording/read/source.js'
import { sender, type Job, type Task, type WorkerMessage } from './messages.js'

/** Runs a job in a new thread. */
export type StartThread = (job: Job) => Observable<WorkerMessage | ThreadEnded>

/**
 * Runs jobs, at most `threads` at a time, each in a new thread. If a thread ends early, it is unknown which of its
 * tasks ended it: the tasks without a result run again, in two jobs of half the size. If a task runs alone and ends its
 * thread, its result is the fault.
 */
export const runJobs$ = (
  jobs: readonly Job[],
  threads: number,
  startThread$: StartThread,
): Observable<WorkerMessage> =>
  new Observable((subscriber) => {
    const queue = [...jobs]
    let running = 0

    const onEnded = (job: Job, { unfinished, cause }: ThreadEnded): void => {
      const [task] = job.tasks
      if (job.tasks.length > 1 || task === undefined)
        queue.push(...halvesOf(unfinished).map((tasks) => ({ ...job, tasks })))
      else
        subscriber.next({
          _tag: 'Result',
          sender,
          index: task.index,
          outcome: left({ why: 'worker', cause }),
        })
    }

    const run = (job: Job): void => {
      running++
      const thread = startThread$(job).subscribe((message) =>
        message._tag === 'Ended' ? onEnded(job, message) : subscriber.next(message),
      )
      subscriber.add(thread)
      // Once the thread is terminated, also by the end of the sweep itself.
      thread.add(() => {
        running--
        runNext()
      })
    }

    const runNext = (): void => {
      while (running < threads && !subscriber.closed) {
        const job = queue.shift()
        if (job === undefined) break
        run(job)
      }
      if (running === 0) subscriber.complete()
    }

    runNext()
  })

const halvesOf = (tasks: readonly Task[]): readonly (readonly Task[])[] => {
  const middle = Math.ceil(tasks.length / 2)
  return [tasks.slice(0, middle), tasks.slice(middle)].filter((half) => half.length > 0)
}

/** The program of the worker threads, and how Node runs it. The public types need no types of Node. */
export interface WorkerProgram {
  readonly url: FileUrl
  /** Default: no limits besides those of Node. */
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number }
}

/** The thread ended before each task had a result that counts. */
export interface ThreadEnded {
  readonly _tag: 'Ended'
  readonly unfinished: readonly Task[]
  readonly cause: FailureCause
}

/**
 * Runs a job in a new worker thread. Completes when each task has a result, or when the thread has ended. Unsubscribing
 * terminates the thread. A strategy that has thrown may have changed globals of the thread: the results of the others after
 * that do not count.
 */
export const runInThread$ = (
  { url, resourceLimits = {} }: WorkerProgram,
  job: Job,
): Observable<WorkerMessage | ThreadEnded> =>
  new Observable((subscriber) => {
    const unfinished = new Map(job.tasks.map((task) => [task.index, task]))
    let missing = job.tasks.length
    let failure: FailureCause | undefined
    let cause: FailureCause | undefined
    const end = (ended: FailureCause): void => {
      subscriber.next({ _tag: 'Ended', unfinished: [...unfinished.values()], cause: ended })
      subscriber.complete()
    }
    try {
      const worker = new Worker(new URL(url.href), {
        workerData: job,
        resourceLimits,
        name: 'svc-streams sweep',
      })
      worker.on('message', (message: unknown) => {
        if (!isWorkerMessage(message)) return
        if (message._tag === 'Rows') return subscriber.next(message)
        const { index, outcome } = message
        const thrown = isLeft(outcome) && outcome.left.why === 'strategy' ? outcome.left.cause : undefined
        if (failure === undefined || thrown !== undefined) {
          unfinished.delete(index)
          subscriber.next(message)
        }
        failure ??= thrown
        if (--missing > 0) return
        if (failure !== undefined && unfinished.size > 0) end(failure)
        else subscriber.complete()
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

/** False for a message of the strategy, which may post messages of its own. */
const isWorkerMessage = (message: unknown): message is WorkerMessage =>
  typeof message === 'object' && message !== null && 'sender' in message && message.sender === sender

/**
 * The program of the worker threads, in the installed package, which is found by its name. Throws a
 * `ConfigurationError` in a bundle without the package.
 */
export const packagedProgram = (): FileUrl => {
  try {
    const manifest = createRequire(import.meta.url).resolve('svc-streams/package.json')
    return pathToFileURL(join(manifest, '../dist/sweep/worker/main.js'))
  } catch {
    throw new ConfigurationError(
      'sweep',
      'cannot find the package svc-streams, which contains the program of the worker threads: install it beside this bundle',
    )
  }
}
