import { concat, Observable, ReplaySubject, Subscription, switchMap, takeUntil } from 'rxjs'
import type { Either } from 'fp-ts/lib/Either.js'
import { reportError } from '../../../base/task/safe-notify.js'
import { activeContext, runInContext } from '../rx-context.js'
import { RowTimes } from '../../recording/write/client-rows.js'
import type { StrategyRuns } from '../strategy-runs.js'

/**
 * The streams of a strategy that goes from a replay to a live client: those of the replay up to the border, and then those of
 * the client, whose events come on the clock of the strategy.
 */
export class LiveStreams {
  private readonly border$ = new ReplaySubject<void>(1)
  /** A strategy subscribes on a clock of its own, on which a live client does not run. */
  private readonly context = activeContext()
  private readonly times: RowTimes
  isLive = false

  /** `onTime`: called when the clock of the strategy has moved. `onStep`: called when the clock has been set, with the step in ms. */
  constructor(
    private readonly runs: StrategyRuns,
    private readonly onTime: () => void,
    onStep: (ms: number) => void,
  ) {
    this.times = new RowTimes((_, step) => this.runs.afterTick(() => this.isLive && onStep(step)))
  }

  /** Now, in ms since the Unix epoch. */
  now(): number {
    return this.times.now()
  }

  /** Starts the live streams. */
  start(): void {
    this.isLive = true
    this.border$.next()
    this.border$.complete()
  }

  /** The past has ended without a border: no live stream follows. */
  end(): void {
    this.border$.complete()
  }

  /** `past$` up to the border, and then `live$`. */
  price$<E, A>(
    past$: Observable<Either<E, A>>,
    live$: () => Observable<Either<E, A>>,
  ): Observable<Either<E, A>> {
    return this.joined$(past$, live$, (event) => this.times.of(event))
  }

  joined$<A>(
    past$: Observable<A>,
    live$: () => Observable<A>,
    timeOf: (event: A) => number = () => this.now(),
  ): Observable<A> {
    return concat(
      past$.pipe(takeUntil(this.border$)),
      this.border$.pipe(switchMap(() => this.onClock$(live$, timeOf))),
    )
  }

  private onClock$<A>(live$: () => Observable<A>, timeOf: (event: A) => number): Observable<A> {
    return new Observable<A>((subscriber) => {
      /** A strategy may subscribe inside of a tick, and a live stream may emit at once. */
      const emit = (at: number, notify: () => void): void =>
        this.runs.afterTick(() => {
          if (subscriber.closed) return
          this.runs.advance(at)
          this.runs.tick(notify)
          this.onTime()
        })
      const complete = (): void => emit(this.now(), () => subscriber.complete())
      const live = new Subscription()
      subscriber.add(() => runInContext(this.context, () => live.unsubscribe()))
      runInContext(this.context, () =>
        live.add(
          live$().subscribe({
            next: (event) => emit(timeOf(event), () => subscriber.next(event)),
            error: (thrown) => {
              reportError(thrown)
              complete()
            },
            complete,
          }),
        ),
      )
    })
  }
}
