import { Worker } from 'node:worker_threads'
import { Observable } from 'rxjs'
import { causeOf } from '../../errors/failure-cause.js'
import type { FailureCause } from '../../errors/model.js'
import type { FileUrl } from '../../recording/read/source.js'
import { sender, type Job, type Task, type WorkerMessage } from '../messages.js'

/** The program of the worker threads, and how Node runs it. The public types need no types of Node. */
export interface WorkerProgram {
  readonly url: FileUrl
  /** Default: no limits besides those of Node. */
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number }
}

/** The thread ended before each task had a result. */
export interface ThreadEnded {
  readonly _tag: 'Ended'
  readonly unfinished: readonly Task[]
  readonly cause: FailureCause
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
      const worker = new Worker(new URL(url.href), {
        workerData: job,
        resourceLimits,
        name: 'svc-streams sweep',
      })
      worker.on('message', (message: unknown) => {
        if (!isWorkerMessage(message)) return
        if (message._tag === 'Result') unfinished.delete(message.index)
        subscriber.next(message)
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

/** False for a message of the strategy, which may post messages of its own. */
const isWorkerMessage = (message: unknown): message is WorkerMessage =>
  typeof message === 'object' && message !== null && 'sender' in message && message.sender === sender
