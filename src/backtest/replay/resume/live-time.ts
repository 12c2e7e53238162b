import { concat, defer, EMPTY, Observable, ReplaySubject, Subscription, takeUntil, tap } from 'rxjs'
import type { Either } from 'fp-ts/lib/Either.js'
import { delay } from '../../../base/time/timers.js'
import { systemClock } from '../../../base/time/clock.js'
import { RowTimes } from '../../recording/write/client-rows.js'
import { activeContext, runInContext } from '../rx-context.js'
import type { StrategyRuns } from '../strategy-runs.js'

/** The clocks of the recorder and of this process are the same if they differ by at most this time, in ms. */
const maxSkew = 2_000

/** A wall clock that differs by more has been set, in ms. An account takes prices as late that are 500 ms before its clock. */
const maxClockDifference = 400

/** The time of a strategy after its past: its clock follows the present, and the events of the client come when they come. */
export class LiveTime {
  /** True after the border: the past has ended. */
  isLive = false
  private readonly border$ = new ReplaySubject<void>()
  private readonly times = new RowTimes((_, step) => {
    if (this.isLive) this.runs.afterTick(() => this.runs.skip(step))
  }, maxClockDifference)
  /** A strategy subscribes on a clock of its own, on which a live client does not run. */
  private readonly context = activeContext()
  private readonly clock = systemClock()
  private timer = Subscription.EMPTY
  /** The replay is over. */
  readonly closing = new Subscription(() => this.timer.unsubscribe())

  constructor(private readonly runs: StrategyRuns) {}

  /** The past until the border, and then a stream of the client. A past that completes before has no further event. */
  joined$<A>(past$: Observable<A>, live$: Observable<A>, onLive?: (event: A) => void): Observable<A> {
    return concat(
      past$.pipe(takeUntil(this.border$)),
      defer(() => (this.isLive ? this.onClock$(live$).pipe(tap(onLive)) : EMPTY)),
    )
  }

  /** Moves the clock of the strategy to the present. The live events start after `onCaughtUp`. */
  start(onCaughtUp: () => void): void {
    const { runs, times } = this
    const now = times.now()
    // The clock of the recorder may be ahead.
    if (runs.time > now + maxSkew) runs.skip(now - runs.time)
    runs.aheadMs = 0
    runs.advance(now)
    onCaughtUp()
    this.isLive = true
    runs.enter = (work) => (runs.isRunning ? work() : this.enter(times.now(), work))
    this.border$.next()
    this.waitForTimer()
  }

  /** As in a replay, a subscriber inside of a tick receives what the stream emits at once in this tick. */
  private onClock$<A>(live$: Observable<A>): Observable<A> {
    const { runs, times, context } = this
    return new Observable((subscriber) => {
      let isAtOnce = runs.isRunning
      const emit = (time: number, notify: () => void): void =>
        isAtOnce ? notify() : runs.afterTick(() => this.enter(time, notify))
      const subscription = runInContext(context, () =>
        live$.subscribe({
          next: (event) => emit(times.of(event as Either<unknown, unknown>), () => subscriber.next(event)),
          error: (thrown) => emit(times.now(), () => subscriber.error(thrown)),
          complete: () => emit(times.now(), () => subscriber.complete()),
        }),
      )
      isAtOnce = false
      return () => runInContext(context, () => subscription.unsubscribe())
    })
  }

  private enter<A>(time: number, work: () => A): A {
    this.runs.advance(time)
    const result = this.runs.tick(work)
    this.waitForTimer()
    return result
  }

  /** The timers of the strategy fire when they are due: its clock moves only here and in `enter`. */
  private waitForTimer(): void {
    this.timer.unsubscribe()
    const { runs, times, closing } = this
    const ms = runs.nextDue - times.read()
    if (ms === Infinity || closing.closed) return
    this.timer = delay(this.clock, Math.max(0, Math.ceil(ms)), () => this.enter(times.now(), () => undefined))
  }
}
