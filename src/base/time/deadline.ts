import { Observable, Subject, Subscription, takeUntil } from 'rxjs'
import { maxTimerMs } from '../domain/valid-numbers.js'
import type { Clock } from './clock.js'

/**
 * The limits of one timer of a responsive deadline, in ms. A shorter timer is often late without a blocked event loop.
 */
const shortestSlice = 5
const longestSlice = 50

/** A responsive deadline ends after this many late timers, if `maxStretch` times its length has passed. */
const minLateSlices = 3
const maxStretch = 4

/** A poll phase that takes longer shows that the event loop was blocked, in ms. */
const longestPhase = 10

/** The maximum number of poll phases that a deadline waits for: a peer that never pauses must not postpone it forever. */
const maxPhases = 64

/** A deadline waits for no further phase after this many, if they have taken `maxReading` ms. */
const minPhases = 8
const maxReading = 1000

/** A later timer shows that the event loop was blocked, in ms. */
export const maxLateMs = 500

/** Calls back once after `ms` ms, of any length, unless unsubscribed. */
export const delay = (clock: Clock, ms: number, callback: () => void): Subscription => {
  const stop = clock.startInterval(
    () => {
      stop()
      if (ms <= maxTimerMs) callback()
      else subscription.add(delay(clock, ms - maxTimerMs, callback))
    },
    Math.min(ms, maxTimerMs),
  )
  const subscription = new Subscription(stop)
  return subscription
}

/**
 * Calls back once after `ms` ms and after the data that had arrived by then is read, unless unsubscribed. After a
 * blocked event loop Node runs timers before it reads sockets. The deadline therefore waits for one more poll phase,
 * and for further phases as long as data arrive in them or they are blocked. `activityCount` counts that data.
 */
export const deadline = (
  clock: Clock,
  ms: number,
  callback: () => void,
  activityCount: () => number = noActivity,
): Subscription => {
  const subscription = delay(clock, ms, () => {
    subscription.add(afterReading(clock, activityCount, callback))
  })
  return subscription
}

/**
 * Like `deadline`, but time in which the event loop was blocked does not count. For work that needs several turns of the
 * event loop, such as a dial: it cannot proceed while the loop is blocked. A timer that is late shows that the loop was
 * blocked, so the wait consists of short timers. A loop that is blocked again and again reaches the deadline after
 * `maxStretch` times `ms`: a service that floods the client must not postpone it forever. `onSlice`: called after each short
 * timer with its start. What arrived before that has been read. `wasBlocked`: since then, the event loop was.
 */
export const responsiveDeadline = (
  clock: Clock,
  ms: number,
  callback: () => void,
  onSlice?: (startedAt: number, wasBlocked: boolean) => void,
): Subscription => {
  if (clock.isVirtual) return delay(clock, ms, callback)
  const start = clock.elapsed()
  const maxSlice = Math.min(Math.max(ms / 10, shortestSlice), longestSlice)
  let lateSlices = 0
  let current: Subscription
  const wait = (remaining: number): void => {
    const slice = Math.min(remaining, maxSlice)
    const startedAt = clock.elapsed()
    current = delay(clock, slice, () => {
      const now = clock.elapsed()
      const wasBlocked = now - startedAt > 2 * slice + shortestSlice
      if (wasBlocked) lateSlices++
      onSlice?.(startedAt, wasBlocked)
      const after = wasBlocked ? remaining : remaining - slice
      const isStretched = lateSlices >= minLateSlices && now - start >= maxStretch * ms
      if (after >= 1 && !isStretched) wait(after)
      else current = afterReading(clock, noActivity, callback)
    })
  }
  wait(ms)
  return new Subscription(() => current.unsubscribe())
}

/** Like `delay`: emits once, then completes. */
export const delay$ = (clock: Clock, ms: number): Observable<void> =>
  once$((callback) => delay(clock, ms, callback))

/** Like `deadline`: emits once, then completes. */
export const deadline$ = (clock: Clock, ms: number, activityCount?: () => number): Observable<void> =>
  once$((callback) => deadline(clock, ms, callback, activityCount))

const once$ = (start: (callback: () => void) => Subscription): Observable<void> =>
  new Observable((subscriber) =>
    start(() => {
      subscriber.next()
      subscriber.complete()
    }),
  )

/** The sources in turn, again and again. `concat` and `repeat` of RxJS would add their schedulers to each page. */
export const repeated$ = <A>(...sources$: readonly Observable<A>[]): Observable<A> =>
  new Observable((subscriber) => {
    const closed$ = new Subject<void>()
    subscriber.add(() => closed$.next())
    let turn = 0
    let isDue = true
    let isStarting = false
    const start = (): void => {
      isStarting = true
      // A loop, because a source may complete inside of `subscribe`.
      while (isDue && !subscriber.closed) {
        isDue = false
        const source$ = sources$[turn++ % sources$.length]
        const subscription = source$?.pipe(takeUntil(closed$)).subscribe({
          next: (value) => subscriber.next(value),
          error: (thrown) => subscriber.error(thrown),
          complete: () => (isDue = true),
        })
        // After the teardown of the source, as with `concat`.
        subscription?.add(() => {
          if (isDue && !isStarting) start()
        })
      }
      isStarting = false
    }
    start()
  })

export const noActivity = (): number => 0

/** Calls back once the data that has arrived is read, unless unsubscribed. */
export const afterReading = (
  clock: Clock,
  activityCount: () => number,
  callback: () => void,
): Subscription => {
  const subscription = new Subscription()
  const dueAt = clock.elapsed()
  const isOverdue = (phases: number): boolean =>
    phases === maxPhases || (phases >= minPhases && clock.elapsed() - dueAt >= maxReading)
  const nextPhase = (phases: number, before: number): void => {
    const startedAt = clock.elapsed()
    const cancel = clock.afterRead(() => {
      const after = activityCount()
      // The loop may have been blocked after it read the sockets: by another immediate, for example.
      const wasBlocked = clock.elapsed() - startedAt > longestPhase
      if ((after === before && !wasBlocked) || isOverdue(phases)) callback()
      else nextPhase(phases + 1, after)
    })
    subscription.add(cancel)
  }
  nextPhase(1, activityCount())
  return subscription
}

/** Timers stand still while the machine is suspended: a deadline that has passed meanwhile is noticed within this time, in ms. */
const suspendCheckMs = 1000

/** One timer for many deadlines, set to the earliest. Times are monotonic, in ms. */
export class DeadlineTimer {
  private timer: Subscription | undefined
  private dueAt = Infinity

  constructor(
    private readonly clock: Clock,
    /** Counts received data: `onDeadline` is called after the data that has arrived is read. */
    private readonly activityCount: () => number,
    private readonly onDeadline: () => void,
  ) {}

  /** Only moves the timer earlier, and checks every second, so it may fire before `nextDeadline`. `Infinity` stops it. */
  set(nextDeadline: number): void {
    if (nextDeadline === Infinity) this.clear()
    if (nextDeadline >= this.dueAt) return
    this.clear()
    this.dueAt = nextDeadline
    const fire = (): void => {
      this.clear()
      this.onDeadline()
    }
    const wait = Math.max(0, nextDeadline - this.clock.elapsed())
    const slice = this.clock.isVirtual ? wait : Math.min(wait, suspendCheckMs)
    this.timer = deadline(this.clock, slice, fire, this.activityCount)
  }

  private clear(): void {
    this.timer?.unsubscribe()
    this.dueAt = Infinity
  }
}

/**
 * A `deadline` that is restarted often. A restart only stores the time: one timer is set again for the remaining time.
 * Times are monotonic, in ms.
 */
export class RestartableDeadline {
  private timer: Subscription | undefined
  private armedAt = 0
  private timerDueAt = 0
  private dueAt = 0

  constructor(
    private readonly clock: Clock,
    /** Time from the last restart to the deadline, in ms. */
    private readonly ms: number,
    private readonly onDeadline: () => void,
  ) {}

  restart(): void {
    const now = this.clock.elapsed()
    this.dueAt = now + this.ms
    // A timer is replaced if it is late, or if it runs on another clock.
    if (this.timer !== undefined && now >= this.armedAt && now < this.timerDueAt) return
    this.stop()
    this.arm(now, this.ms)
  }

  stop(): void {
    this.timer?.unsubscribe()
    this.timer = undefined
  }

  private arm(now: number, ms: number): void {
    this.armedAt = now
    this.timerDueAt = this.dueAt
    this.timer = delay(this.clock, ms, this.onTimer)
  }

  private readonly onTimer = (): void => {
    const now = this.clock.elapsed()
    if (this.dueAt !== this.timerDueAt && now < this.dueAt) {
      const remainder = this.dueAt - now
      // Node rounds the delay of a timer down.
      this.arm(now, this.clock.isVirtual ? remainder : Math.ceil(remainder))
      return
    }
    const reading = new Subscription()
    this.timer = reading
    reading.add(
      afterReading(this.clock, noActivity, () => {
        this.timer = undefined
        this.onDeadline()
      }),
    )
  }
}
