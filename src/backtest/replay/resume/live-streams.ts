import type { Either } from 'fp-ts/lib/Either.js'
import { concat, Observable, ReplaySubject, Subscription, switchMap, takeUntil } from 'rxjs'
import { reportError } from '../../../base/task/safe-notify.js'
import { delay } from '../../../base/time/deadline.js'
import { systemClock } from '../../../base/time/system-clock.js'
import { RowTimes } from '../../recording/write/client-rows.js'
import type { Playback } from '../playback.js'
import { activeContext, runInContext } from '../rx-context.js'

/** The clocks of the recorder and of this process are the same if they differ by at most this time, in ms. */
const maxSkew = 2_000

/**
 * The streams of a strategy that goes from a replay to a live client: those of the replay up to the border, and then those of
 * the client, whose events come on the clock of the strategy.
 */
export class LiveStreams {
  private readonly border$ = new ReplaySubject<void>(1)
  /** A strategy subscribes on a clock of its own, on which a live client does not run. */
  private readonly context = activeContext()
  private readonly times = new RowTimes((_, step) =>
    this.playback.runs.afterTick(() => this.isLive && this.playback.skip(step)),
  )
  private readonly clock = systemClock()
  private timer = Subscription.EMPTY
  isLive = false

  constructor(private readonly playback: Playback) {}

  /** Moves the clock of the strategy to the present, and starts the live streams after `onCaughtUp`. */
  start(onCaughtUp: () => void): void {
    const { playback, times } = this
    const now = times.now()
    // The clock of the recorder may be ahead.
    if (playback.runs.time > now + maxSkew) playback.skip(now - playback.runs.time)
    playback.runs.advance(now)
    onCaughtUp()
    this.isLive = true
    this.border$.next()
    this.border$.complete()
    this.waitForTimer()
  }

  /** The replay is over. Without a border, no live stream follows. */
  end(): void {
    this.border$.complete()
    this.timer.unsubscribe()
  }

  /** `past$` up to the border, and then `live$`. */
  joined$<A>(past$: Observable<A>, live$: () => Observable<A>): Observable<A> {
    return concat(
      past$.pipe(takeUntil(this.border$)),
      this.border$.pipe(switchMap(() => this.onClock$(live$))),
    )
  }

  /** The timers of the strategy fire when they are due: its clock moves only here and with each live event. */
  private waitForTimer(): void {
    this.timer.unsubscribe()
    const { runs, isOver } = this.playback
    const ms = runs.nextDue - this.times.now()
    if (ms === Infinity || isOver) return
    this.timer = delay(this.clock, Math.max(0, Math.ceil(ms)), () => {
      runs.advance(this.times.now())
      this.waitForTimer()
    })
  }

  private onClock$<A>(live$: () => Observable<A>): Observable<A> {
    const { runs } = this.playback
    return new Observable<A>((subscriber) => {
      /** A strategy may subscribe inside of a tick, and a live stream may emit at once. */
      const emit = (at: number, notify: () => void): void =>
        runs.afterTick(() => {
          if (subscriber.closed) return
          runs.advance(at)
          runs.tick(notify)
          this.waitForTimer()
        })
      const complete = (): void => emit(this.times.now(), () => subscriber.complete())
      const live = new Subscription()
      subscriber.add(() => runInContext(this.context, () => live.unsubscribe()))
      runInContext(this.context, () =>
        live.add(
          live$().subscribe({
            next: (event) =>
              emit(this.times.of(event as Either<unknown, unknown>), () => subscriber.next(event)),
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
