import { isLeft, isRight, left, map as mapRight, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map, mergeMap, of, range, switchMap, toArray, type Observable } from 'rxjs'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { emptyRecording } from '../recording/codec/errors.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { RecordingError } from '../../base/errors/model.js'
import {
  sweepError,
  type SweepError,
  walkForwardError,
  type WalkForwardError,
  type WindowRange,
  type WindowRanges,
} from './sweep-error.js'
import { nodePlatform } from '../recording/read/node-platform.js'
import { openableSources, type FileUrl } from '../recording/read/source.js'
import {
  walkForwardSettings,
  type ScoredRange,
  type WalkForwardOptions,
  type WalkForwardSettings,
} from './options.js'
import {
  inOrder,
  sweepOn,
  type SweepEnvironment,
  type SweepResult,
  type SweepRun,
  type SweepSource,
} from './sweep.js'

/** The result of one window: that of the chosen parameter in the test range, which was not used for the choice. */
export interface WalkForwardRun<P, A> extends SweepRun<P, A>, WindowRanges {
  readonly score: number
  /** The score in the training range, by which the parameter was chosen. */
  readonly trainScore: number
}

export type WalkForwardResult<P, A> = Either<WalkForwardError<P>, WalkForwardRun<P, A>>

/** The `walkForward$` of a program for the worker threads. `keepsTrades`: in the test ranges. */
export const walkForwardOn =
  ({ keepsTrades = false, ...given }: Omit<SweepEnvironment, 'endsFlat'>) =>
  <P, A>(
    source: SweepSource,
    strategy: string | FileUrl,
    parameters: readonly P[],
    options: WalkForwardOptions<A>,
  ): Observable<WalkForwardResult<P, A>> => {
    const settings = walkForwardSettings(options)
    const { environment, warmUp } = settings
    const sweepOver$: SweepRange$<P, A> = (tried, played, threads, scored) => {
      const account = { endsFlat: true, keepsTrades: keepsTrades && scored === 'test' }
      const sweep$ = sweepOn({ ...given, ...account })<P, A>
      const warm = warmUp !== undefined && { warmUp }
      return sweep$(source, strategy, tried, { environment, ...played, ...warm, workers: threads })
    }
    // Throws for an invalid argument before the subscription.
    void sweepOn(given)(source, strategy, parameters)
    if (parameters.length === 0) throw new ConfigurationError('parameters', 'expected at least one parameter')

    return defer(() => rangeOf(source, settings)).pipe(
      switchMap((recorded) =>
        isLeft(recorded)
          ? of(left(walkForwardError<P>({ why: 'recording', error: recorded.left })))
          : windowResult$(recorded.right, parameters, settings, sweepOver$),
      ),
    )
  }

/**
 * Chooses parameters on one part of a recording and tests them on the next part, window by window. The score of the
 * best parameter over a whole recording is too high, because the choice is fitted to the noise of the recording.
 *
 * The first window starts with the recording, or at `from`. Each window has a training range and, directly after it, a
 * test range. The next window starts later by the length of the test range, so test ranges are adjacent and do not
 * overlap. The end of the recording is not tested if it is shorter than a test range. For each window, `sweep` runs all
 * parameters over the training range. The parameter with the highest score then runs over the test range; of equal
 * scores, the first is chosen. A parameter without a result or a finite score in the training range is not chosen.
 *
 * Emits one event per window, in order: the values and the score of the test range. A window without a result is a
 * `WalkForwardError`, and the next windows follow. If the recording cannot be read, or is shorter than one window, this
 * error is the only event.
 *
 * Each run starts with a new strategy in a new thread: positions, averages and open orders do not carry over from the
 * training range or from an earlier window. With `warmUp`, it runs over the data before the range first, without being
 * scored for it: an account starts flat. At the end of each range, an account closes its positions at the last prices, with costs.
 *
 * `source`, `strategy` and `parameters` are those of `sweep`. Windows run in parallel, at most `workers` threads at a
 * time, and each window plays its two ranges. Memory grows with the values of the running windows.
 *
 * Throws a `ConfigurationError` for an invalid argument and a misspelt option name.
 *
 * @function
 * @example
 * const strategy = new URL('strategy.js', import.meta.url)
 * const day = 86_400_000
 * const window$ = walkForward$('market.ndjson', strategy, [5, 10, 20], { train: 7 * day, test: day })
 * await window$.forEach((window) => console.log(window))
 */
export const walkForward$ = walkForwardOn({})

export type SweepRange$<P, A> = (
  parameters: readonly P[],
  range: WindowRange,
  threads: number,
  scored: ScoredRange,
) => Observable<SweepResult<P, A>>

export const windowResult$ = <P, A>(
  { from, to }: WindowRange,
  parameters: readonly P[],
  settings: WalkForwardSettings,
  sweep$: SweepRange$<P, A>,
): Observable<WalkForwardResult<P, A>> => {
  const { train, test, workers } = settings
  const length = Math.max(0, to - from)
  const count = Math.floor((length - train) / test)
  if (count < 1) {
    const fault = { why: 'too short', recordedMs: length, trainMs: train, testMs: test } as const
    return of(left(walkForwardError<P>(fault)))
  }
  const threads = Math.max(1, Math.floor(workers / count))
  const windowAt = (index: number): WindowRanges => {
    const testedFrom = from + index * test + train
    return {
      train: { from: testedFrom - train, to: testedFrom },
      test: { from: testedFrom, to: testedFrom + test },
    }
  }
  return range(0, count).pipe(
    mergeMap(
      (index) =>
        result$(windowAt(index), parameters, settings, sweep$, threads).pipe(
          map((result) => ({ index, result })),
        ),
      workers,
    ),
    inOrder(),
    map(({ result }) => result),
  )
}

/** The range that is played: from the start of the first file or `from` on, until after the last row, or before `to`. */
const rangeOf = async (
  source: SweepSource,
  { range: played }: WalkForwardSettings,
): Promise<Either<RecordingError, WindowRange>> => {
  let first = Infinity
  let last = -Infinity
  const sources = openableSources(nodePlatform, source)
  if (sources.length === 0) return left(emptyRecording('the recording'))
  for (const opened of sources) {
    const start = await opened.start()
    const latest = isLeft(start) ? start : await opened.latest()
    if (isLeft(start)) return start
    if (isLeft(latest)) return latest
    first = Math.min(first, start.right)
    last = Math.max(last, latest.right)
  }
  return right({ from: Math.max(first, played.from), to: Math.min(last + 1, played.to) })
}

const result$ = <P, A>(
  ranges: WindowRanges,
  parameters: readonly P[],
  { score }: WalkForwardSettings,
  sweep$: SweepRange$<P, A>,
  threads: number,
): Observable<WalkForwardResult<P, A>> => {
  const scored$ = (tried: readonly P[], range: ScoredRange, most: number) =>
    sweep$(tried, ranges[range], most, range).pipe(
      map((result) => scoredBy((values) => score(values, range), result)),
    )

  const tested$ = (parameter: P, trainScore: number): Observable<WalkForwardResult<P, A>> =>
    scored$([parameter], 'test', 1).pipe(
      map((result) =>
        isLeft(result)
          ? left(walkForwardError({ why: 'test', ...ranges, error: result.left }))
          : right({ ...ranges, trainScore, ...result.right }),
      ),
    )

  return scored$(parameters, 'train', threads).pipe(
    // Without the values, which may need much memory.
    map(mapRight(({ parameter, score: trained }) => ({ parameter, score: trained }))),
    toArray(),
    switchMap((results) => {
      const errors = results.filter(isLeft).map((result) => result.left)
      const [first, ...others] = results.filter(isRight).map((result) => result.right)
      if (first === undefined) return of(left(walkForwardError({ why: 'train', ...ranges, errors })))
      // Of equal scores, the first.
      const best = others.reduce((one, other) => (other.score > one.score ? other : one), first)
      return tested$(best.parameter, best.score)
    }),
  )
}

const scoredBy = <P, A>(
  scoreOf: (values: readonly A[]) => number,
  result: SweepResult<P, A>,
): Either<SweepError<P>, SweepRun<P, A> & { readonly score: number }> => {
  if (isLeft(result)) return result
  const { parameter, values } = result.right
  try {
    const score: unknown = scoreOf(values)
    if (typeof score === 'number' && Number.isFinite(score)) return right({ ...result.right, score })
    throw new Error(
      `expected a finite number, got ${typeof score === 'number' ? score : `a value of type ${typeof score}`}`,
    )
  } catch (thrown) {
    return left(sweepError(parameter, { why: 'score', cause: causeOf(thrown) }))
  }
}
