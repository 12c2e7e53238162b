import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { concat, concatMap, defer, finalize, from, NEVER, of, take, throwError, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { allTimes } from '../../../src/backtest/recording/codec/timeline.js'
import type { Job, TaskResult } from '../../../src/backtest/sweep/messages.js'
import { tasksByWorker, tasksOf } from '../../../src/backtest/sweep/sweep.js'
import { runInThread$, runJobs$, type StartThread } from '../../../src/backtest/sweep/worker-pool.js'
import { collect } from '../recording/support/recordings.js'

const jobOf = (tasks: Job['tasks']): Job => ({
  files: [],
  environment: 'mainnet',
  range: allTimes,
  strategy: 'file:///strategy.js',
  tasks,
  warmUp: 0,
  endsFlat: false,
  keepsTrades: false,
})

const played = (index: number): TaskResult => ({
  _tag: 'Result',
  index,
  outcome: right({ values: [], rows: index }),
})

const cause = { name: 'Error', message: 'it exited with code 3', code: undefined }

/** Runs tasks in order. A thread ends at the first task of `bad`. */
const threads = (bad: ReadonlySet<number>) => {
  let running = 0
  let most = 0
  const runsOf = new Map<number, number>()
  const start$: StartThread = ({ tasks }) => {
    const at = tasks.findIndex(({ index }) => bad.has(index))
    const done = at < 0 ? tasks : tasks.slice(0, at)
    const end$ = at < 0 ? NEVER : throwError(() => cause)
    return defer(() => {
      most = Math.max(most, ++running)
      for (const { index } of tasks) runsOf.set(index, (runsOf.get(index) ?? 0) + 1)
      return concat(
        from(done).pipe(concatMap(({ index }) => timer(0).pipe(concatMap(() => of(played(index)))))),
        end$,
      )
    }).pipe(finalize(() => running--))
  }
  return { start$, most: () => most, runsOf }
}

const results = async (count: number, workers: number, bad: ReadonlySet<number>) => {
  const { start$, ...counts } = threads(bad)
  const jobs = tasksByWorker(tasksOf(Array.from({ length: count })), workers).map(jobOf)
  const messages = await collect(runJobs$(jobs, workers, start$))
  return { messages, ...counts }
}

describe('runJobs$', () => {
  it('gives each task one result, whichever tasks end their threads', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.integer({ min: 0, max: 39 })),
        async (count, workers, listed) => {
          const bad = new Set(listed.filter((index) => index < count))
          const { messages, most } = await results(count, workers, bad)
          const faults = messages.flatMap((message) => (isLeft(message.outcome) ? [message.index] : []))
          expect(messages).toHaveLength(count)
          expect(new Set(faults)).toEqual(bad)
          expect(most()).toBeLessThanOrEqual(workers)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('runs the tasks beside one that ends its thread a logarithmic number of times', async () => {
    const { runsOf } = await results(64, 1, new Set([0]))
    expect(Math.max(...runsOf.values())).toBe(7)
    expect([...runsOf.values()].filter((runs) => runs > 2)).toHaveLength(32)
  })
})

it('ignores what a strategy posts itself', async () => {
  const program = `import { parentPort } from 'node:worker_threads'
for (const message of [null, 1, { a: 1 }, ${JSON.stringify(played(0))}]) parentPort.postMessage(message)`
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  const result$ = runInThread$({ url }, jobOf(tasksOf([1]))).pipe(take(1))
  expect(await collect(result$)).toEqual([played(0)])
})
