import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { isLeft, left, tryCatch } from 'fp-ts/lib/Either.js'
import { identity } from 'rxjs'
import { causeOf } from '../../../base/errors/failure-cause.js'
import { nodePlatform } from '../../recording/read/node-platform.js'
import { openableSource } from '../../recording/read/source.js'
import type { Job, TaskResult } from '../messages.js'
import type { SweepFault } from '../sweep-error.js'
import { loadStrategy } from './load-strategy.js'
import { runTasks$ } from './run-tasks.js'

// The program of a worker thread. It runs one job, and posts each result. The main thread then terminates it.

const run = async (job: Job, port: MessagePort): Promise<void> => {
  const post = (result: TaskResult): void => port.postMessage(result)
  const postFault = (index: number, fault: SweepFault): void =>
    post({ _tag: 'Result', index, outcome: left(fault) })

  const { files, strategy, tasks } = job
  const sources = files.map((file) =>
    openableSource(nodePlatform, file.startsWith('file:') ? new URL(file) : file),
  )
  const loaded = await loadStrategy(strategy, job.costs)
  if (isLeft(loaded)) {
    for (const { index } of tasks) postFault(index, loaded.left)
    return
  }
  const { strategy$, warmUp } = loaded.right
  await runTasks$(sources, { ...job, warmUp: job.warmUp ?? warmUp }, strategy$).forEach((result) => {
    try {
      post(result)
    } catch (thrown) {
      postFault(result.index, uncloneable(result, thrown))
    }
  })
}

const uncloneable = ({ outcome }: TaskResult, thrown: unknown): SweepFault => {
  const values = isLeft(outcome) ? [] : outcome.right.values
  const index = values.findIndex((value) => isLeft(tryCatch(() => structuredClone(value), identity)))
  return { why: 'value', index, cause: causeOf(thrown) }
}

if (parentPort === null) throw new Error('this module is the program of a worker thread of svc-streams/sweep')
// Not awaited: a thread of Deno that exceeds its memory would never end.
void run(workerData as Job, parentPort)
