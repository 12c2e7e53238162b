import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concatMap, filter, from, map, merge, Observable, of, toArray } from 'rxjs'
import { strategyFault, type SweepFault } from '../sweep-error.js'
import { isOfOtherRxjs } from '../../../base/option-kinds/observable.js'
import type { RecordingHeader, Row } from '../../recording/format/row.js'
import type { OpenableSource } from '../../recording/read/source.js'
import { Playback } from '../../recording/replay/playback.js'
import { virtualClock } from '../../recording/replay/replay-clock.js'
import type { ReplaySettings } from '../../recording/replay/replay-options.js'
import { createSession } from '../../recording/replay/replay-session.js'
import { runStrategy$, type CreateStrategyClient } from '../../recording/replay/run-strategy.js'
import { delay } from '../../../base/time/deadline.js'
import { rxClock } from '../../../base/time/rx-clock.js'
import { systemClock } from '../../../base/time/system-clock.js'
import { sender, type Played, type Task, type TaskResult } from '../messages.js'
import type { LoadedStrategy } from './load-strategy.js'

/**
 * In ms. RxJS throws an error that has no handler in a timer. The timers that are due run before a result is emitted, so
 * that such an error always ends the thread before that.
 */
const settleTime = 1

/** One pass over a recording. */
export interface Pass {
  readonly sources: readonly OpenableSource[]
  readonly settings: Pick<ReplaySettings, 'environment' | 'range'>
  readonly tasks: readonly Task[]
  /** Rows and values before this time do not count, in ms since the Unix epoch. */
  readonly countsFrom: number
}

/** Runs the strategy with each parameter, in one pass over the recording. Emits each result when its stream has ended. */
export const runTasks$ = (
  { sources, settings, tasks, countsFrom }: Pass,
  { strategy$, resultOf }: LoadedStrategy,
  onRow: () => void,
): Observable<TaskResult> =>
  new Observable((subscriber) => {
    const { environment, range } = settings
    const clock = systemClock()
    let rows = 0
    const onLine = ({ _tag, at }: Row | RecordingHeader): void => {
      if (_tag === 'Recording') return
      if (at >= countsFrom) rows++
      onRow()
    }
    const playback = new Playback(sources, range, virtualClock, clock, { onLine })

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
      runStrategy$(playback, createClient, (client) =>
        afterWarmUp$(strategy$(client, parameter), countsFrom),
      ).pipe(
        toArray(),
        map((values) => right({ values: resultOf(values), rows })),
        catchError((thrown: unknown) => of(left(strategyFault(thrown)))),
        concatMap(outcomeOf),
        map((outcome) => ({ _tag: 'Result', sender, index, outcome })),
      )

    return merge(...tasks.map(result$)).subscribe(subscriber)
  })

/** The values of a strategy from a time on. It runs on the clock of the strategy. */
const afterWarmUp$ = (value$: Observable<unknown>, countsFrom: number): Observable<unknown> =>
  countsFrom === -Infinity || isOfOtherRxjs(value$)
    ? value$
    : from(value$).pipe(filter(() => rxClock.wallClock() >= countsFrom))
