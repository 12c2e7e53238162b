import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { isLeft, left } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import { nodePlatform } from '../../recording/read/node-platform.js'
import { openableSource } from '../../recording/read/source.js'
import type { Job, TaskResult, WorkerMessage } from '../messages.js'
import type { SweepFault } from '../sweep-error.js'
import { loadStrategy } from './load-strategy.js'
import { runTasks$ } from './run-tasks.js'

// The program of a worker thread. It runs one job, and posts each result. The main thread then terminates it.

/** Number of rows after which the worker reports how many it has played. */
const rowsPerReport = 4096

const run = async (job: Job, port: MessagePort): Promise<void> => {
  const post = (message: WorkerMessage): void => port.postMessage(message)
  const postFault = (index: number, fault: SweepFault): void =>
    post({ _tag: 'Result', index, outcome: left(fault) })

  let rows = 0
  const reportRows = (): void => {
    if (rows > 0) post({ _tag: 'Rows', rows })
    rows = 0
  }
  const onRow = (): void => {
    if (++rows === rowsPerReport) reportRows()
  }

  const { files, strategy, tasks } = job
  const sources = files.map((file) =>
    openableSource(nodePlatform, file.startsWith('file:') ? new URL(file) : file),
  )
  const loaded = await loadStrategy(strategy, job.costs)
  if (isLeft(loaded)) {
    for (const { index } of tasks) postFault(index, loaded.left)
    return
  }
  await runTasks$(sources, job, loaded.right, onRow).forEach((result) => {
    reportRows()
    try {
      post(result)
    } catch (thrown) {
      postFault(result.index, uncloneable(result, thrown))
    }
  })
}

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
