import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concatMap, map, merge, Observable, of, toArray } from 'rxjs'
import { strategyFault, type SweepFault } from '../../errors/sweep-error.js'
import type { OpenableSource } from '../../recording/read/source.js'
import { Playback } from '../../recording/replay/playback.js'
import { virtualClock } from '../../recording/replay/replay-clock.js'
import { replaySettings, type ReplayOptions } from '../../recording/replay/replay-options.js'
import { createSession } from '../../recording/replay/replay-session.js'
import { runStrategy$, type CreateStrategyClient } from '../../recording/replay/run-strategy.js'
import { delay } from '../../time/deadline.js'
import { systemClock } from '../../time/system-clock.js'
import { sender, type Played, type Task, type TaskResult } from '../messages.js'
import type { SweepStrategy } from '../result.js'

/** A recording, and the strategy that runs over it with each parameter. */
export interface TaskRun {
  readonly sources: readonly OpenableSource[]
  readonly options: ReplayOptions
  readonly strategy$: SweepStrategy<unknown, unknown>
  readonly tasks: readonly Task[]
  /** Called with each row that is played. */
  readonly onRow: () => void
}

/**
 * In ms. RxJS throws an error that has no handler in a timer. The timers that are due run before a result is emitted, so
 * that such an error always ends the thread before that.
 */
const settleTime = 1

/** Runs the strategy with each parameter, in one pass over the recording. Emits each result when its stream has ended. */
export const runTasks$ = ({ sources, options, strategy$, tasks, onRow }: TaskRun): Observable<TaskResult> =>
  new Observable((subscriber) => {
    const { environment, range } = replaySettings(options)
    const clock = systemClock()
    let rows = 0
    const playback = new Playback(sources, range, virtualClock(), clock, (line) => {
      if (line._tag === 'Recording') return
      rows++
      onRow()
    })

    /** Each strategy has a client of its own: `close` and `inspect` do not concern the other strategies of the pass. */
    const createClient: CreateStrategyClient = (end) => {
      const onClose = (completeStreams: () => void): void => {
        completeStreams()
        end()
      }
      return createSession(playback, environment, onClose).client
    }

    /** A stream that the end of a damaged recording has ended has no result. */
    const outcomeOf = async (ended: Either<SweepFault, Played>): Promise<Either<SweepFault, Played>> => {
      const replayed = playback.isOver ? await playback.finished() : right(undefined)
      await new Promise<void>((resolve) => void delay(clock, settleTime, resolve))
      return isLeft(replayed) ? left({ why: 'recording', error: replayed.left }) : ended
    }

    const result$ = ({ index, parameter }: Task): Observable<TaskResult> =>
      runStrategy$(playback, createClient, (client) => strategy$(client, parameter)).pipe(
        toArray(),
        map((values) => right({ values, rows })),
        catchError((thrown: unknown) => of(left(strategyFault(thrown)))),
        concatMap(outcomeOf),
        map((outcome) => ({ _tag: 'Result', sender, index, outcome })),
      )

    return merge(...tasks.map(result$)).subscribe(subscriber)
  })
