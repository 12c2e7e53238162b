import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { isLeft, left } from 'fp-ts/lib/Either.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import type { SweepFault } from '../sweep-error.js'
import { replaySettings } from '../../replay/replay-options.js'
import { openableSource } from '../../recording/read/source.js'
import { nodePlatform } from '../../recording/read/node-platform.js'
import { sender, type Job, type TaskResult, type WorkerMessage } from '../messages.js'
import { loadStrategy } from './load-strategy.js'
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

  const { files, strategy, tasks } = job
  const settings = replaySettings(job.replay)
  const sources = files.map(({ kind, name }) =>
    openableSource(nodePlatform, kind === 'path' ? name : new URL(name)),
  )
  const loaded = await loadStrategy(strategy, job)
  if (isLeft(loaded)) {
    for (const { index } of tasks) postFault(index, loaded.left)
    return
  }
  const pass = { sources, settings, tasks, job }
  await runTasks$(pass, loaded.right, job.reportsRows ? onRow : () => undefined).forEach((result) => {
    reportRows()
    postResult(result)
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
