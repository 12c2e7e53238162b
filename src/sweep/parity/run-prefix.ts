import { isLeft } from 'fp-ts/lib/Either.js'
import { defer, filter, finalize, map, switchMap } from 'rxjs'
import { sweepError } from '../../errors/sweep-error.js'
import type { Job, Output } from '../messages.js'
import { runInThread$, runJobs$, type WorkerProgram } from '../worker-pool.js'
import type { RunPrefix$ } from './find-look-ahead.js'
import type { Prefix, PrefixFiles } from './prefix-files.js'

export interface PrefixRun {
  readonly program: WorkerProgram
  readonly recording: PrefixFiles
  /** The URL of the strategy's module. */
  readonly strategy: string
  readonly parameter: unknown
}

/**
 * Runs a strategy over the first lines of a recording, in a thread of its own. Each file of the recording that the strategy reads
 * by itself has only these lines, too. Fails if the run has no result.
 */
export const runPrefixes =
  ({ program, recording, strategy, parameter }: PrefixRun): RunPrefix$ =>
  (lines) =>
    defer(() => recording.write(lines)).pipe(
      switchMap(({ files, standIns, remove }: Prefix) => {
        const tasks = [{ index: 0, parameter }]
        const job: Job = { files, replay: {}, strategy, tasks, reportsRows: false, trace: standIns }
        return runJobs$([job], 1, (each) => runInThread$(program, each)).pipe(finalize(remove))
      }),
      filter((message) => message._tag === 'Result'),
      map(({ outcome }) => {
        if (!isLeft(outcome)) return outcome.right.values as readonly Output[]
        const { message } = sweepError(parameter, outcome.left)
        throw new Error(outcome.left.why === 'module' ? message : `the run over ${lines} lines: ${message}`)
      }),
    )
