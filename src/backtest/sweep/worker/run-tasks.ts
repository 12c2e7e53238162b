import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concatMap, endWith, from, ignoreElements, map, merge, Observable, of, tap } from 'rxjs'
import { strategyFault, type SweepFault } from '../sweep-error.js'
import { isOfOtherRxjs } from '../../../testing/other-rxjs.js'
import type { RecordingHeader, Row } from '../../recording/codec/row.js'
import type { OpenableSource } from '../../recording/read/openable-source.js'
import { Playback } from '../../replay/playback.js'
import { createStrategyClient } from '../../replay/strategy-client.js'
import { runStrategy$, type CreateStrategyClient } from '../../replay/run-strategy.js'
import { delay } from '../../../base/time/timers.js'
import { dataWallClock, systemClock } from '../../../base/time/clock.js'
import type { PaperEvent } from '../../account/events.js'
import { isAccountRun, onActiveClock, withTerms } from '../../account/terms.js'
import { RunFold } from '../../results/run-fold.js'
import type { Job, Played, Task, TaskResult } from '../messages.js'
import type { SweepStrategy } from '../sweep.js'

/** In ms. RxJS throws an error without a handler in a timer: timers that are due run before a result, so that the error ends the thread first. */
const settleTime = 1

/** Runs the strategy with each parameter, in one pass over the recording. Emits each result when its stream has ended. */
export const runTasks$ = (
  sources: readonly OpenableSource[],
  job: Job,
  strategy$: SweepStrategy<unknown, unknown>,
): Observable<TaskResult> =>
  new Observable((subscriber) => {
    const { environment, range, warmUp = 0, endsFlat, keepsTrades = false } = job
    let countsFrom = warmUp === 0 ? -Infinity : range.from
    let rows = 0
    const onLine = ({ _tag, at }: Row | RecordingHeader): void => {
      if (warmUp > 0 && countsFrom === -Infinity) countsFrom = at + warmUp
      if (_tag !== 'Recording' && at >= countsFrom) rows++
    }
    const played = { ...range, from: range.from - warmUp }
    const playback = new Playback(sources, played, Infinity, { onLine })

    /** Each strategy has a client of its own: `close` and `inspect` do not concern the other strategies of the pass. */
    const createClient: CreateStrategyClient = (end) => {
      const onClose = (completeStreams: () => void): void => {
        completeStreams()
        end()
      }
      return createStrategyClient(playback, environment, { onClose })
    }

    /** A stream that the end of a damaged recording has ended has no result. */
    const outcomeOf = async (ended: Either<SweepFault, Played>): Promise<Either<SweepFault, Played>> => {
      const replayed = playback.isOver ? await playback.finished() : right(undefined)
      await new Promise<void>((resolve) => void delay(systemClock(), settleTime, resolve))
      return isLeft(replayed) ? left({ why: 'recording', error: replayed.left }) : ended
    }

    /** On the clock of the strategy. */
    const isCounted = (): boolean => dataWallClock() >= countsFrom
    const counting = range.from > -Infinity ? { isCounted } : { warmUp }
    const terms = { endsFlat, ...(job.warmUp !== undefined && counting) }

    const result$ = ({ index, parameter }: Task): Observable<TaskResult> => {
      const values: unknown[] = []
      let run: RunFold | undefined
      /** Called on the clock of the strategy: the change to real time costs more than most strategies. */
      const add = (value: unknown): void => {
        if (run !== undefined) run.add(value as PaperEvent)
        else if (warmUp === 0 || isCounted()) values.push(value)
      }
      return runStrategy$(playback, createClient, (client) => {
        const value$ = strategy$(withTerms(client, terms), parameter)
        if (isAccountRun(value$)) run = new RunFold(keepsTrades)
        return isOfOtherRxjs(value$) ? value$ : from(value$).pipe(tap(onActiveClock(add)), ignoreElements())
      }).pipe(
        endWith(undefined),
        map(() => right({ values: run === undefined ? values : [run.folded], rows })),
        catchError((thrown: unknown) => of(left(strategyFault(thrown)))),
        concatMap(outcomeOf),
        map((outcome) => ({ _tag: 'Result', index, outcome })),
      )
    }

    return merge(...job.tasks.map(result$)).subscribe(subscriber)
  })
