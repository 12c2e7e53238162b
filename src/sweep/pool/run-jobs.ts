import { left } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import { sender, type Job, type Task, type WorkerMessage } from '../messages.js'
import type { ThreadEnded } from './worker-thread.js'

/** Runs a job in a new thread. */
export type StartThread = (job: Job) => Observable<WorkerMessage | ThreadEnded>

/**
 * Runs jobs, at most `threads` at a time, each in a new thread. If a thread ends early, it is unknown which of its tasks
 * ended it: the tasks without a result run again, in two jobs of half the size. The result of a task that ends a thread
 * of its own is the fault.
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
