import { Observable, Subscription } from 'rxjs'
import { maxTimerMs } from '../domain/valid-numbers.js'
import type { Clock } from './clock.js'
import type { Cancel } from '../task/cancellable-task.js'
import { reportError } from '../task/safe-notify.js'

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

export const delay$ = (clock: Clock, ms: number): Observable<void> =>
  once$((callback) => delay(clock, ms, callback))

export const deadline$ = (clock: Clock, ms: number, activityCount?: () => number): Observable<void> =>
  once$((callback) => deadline(clock, ms, callback, activityCount))

const once$ = (start: (callback: () => void) => Subscription): Observable<void> =>
  new Observable((subscriber) =>
    start(() => {
      subscriber.next()
      subscriber.complete()
    }),
  )

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

/** A deadline that is moved often: a later time is only stored, until the one timer fires. Times are monotonic, in ms. */
export class MovableDeadline {
  private timer: Subscription | undefined
  private armedAt = 0
  private timerDueAt = 0
  private dueAt = 0

  constructor(
    private readonly clock: Clock,
    private readonly onDeadline: () => void,
    /** Counts received data: `onDeadline` is called after the data that has arrived is read. */
    private readonly activityCount: () => number = noActivity,
  ) {}

  /** `Infinity` stops it. */
  set(dueAt: number, now = this.clock.elapsed()): void {
    if (dueAt === Infinity) return this.stop()
    this.dueAt = Math.max(dueAt, now)
    // A timer is replaced if it is too late, or if it runs on another clock. One that is due is reading what has arrived: to begin
    // that again in each turn would postpone a deadline that has passed forever.
    const hasPassed = dueAt <= now
    const isInTime =
      this.armedAt <= now && (hasPassed || now <= this.timerDueAt) && this.timerDueAt <= this.dueAt
    if (this.timer === undefined || !isInTime) this.arm(now)
  }

  stop(): void {
    this.timer?.unsubscribe()
    this.timer = undefined
  }

  private arm(now: number): void {
    this.stop()
    const ms = this.dueAt - now
    // Node rounds the delay of a timer down.
    const wait = this.clock.isVirtual ? ms : Math.min(Math.ceil(ms), suspendCheckMs)
    this.armedAt = now
    this.timerDueAt = now + wait
    this.timer = deadline(this.clock, wait, this.onTimer, this.activityCount)
  }

  private readonly onTimer = (): void => {
    const now = this.clock.elapsed()
    if (now < this.dueAt) return this.arm(now)
    this.timer = undefined
    this.onDeadline()
  }
}

/** Runs a task once per tick, per event-loop turn, or after a delay, for any number of requests. */
export class CoalescedTask {
  private scheduled: Subscription | undefined
  private delayed: Subscription | undefined

  constructor(
    private readonly clock: Clock,
    private readonly task: () => void,
  ) {}

  get isDelayed(): boolean {
    return this.delayed !== undefined
  }

  /** Runs the task after the current tick, so that changes that cancel out within it cost nothing. */
  afterTick(): void {
    this.scheduled ??= asap(this.clock, this.run)
  }

  afterTurn(): void {
    this.scheduled ??= delay(this.clock, 0, this.run)
  }

  /** Runs the task in the event-loop turn after the next one, when the immediates of the sockets have run too. */
  afterRead(): void {
    if (this.scheduled !== undefined) return
    const scheduled = new Subscription()
    this.scheduled = scheduled
    scheduled.add(delay(this.clock, 0, () => scheduled.add(this.clock.afterRead(this.run))))
  }

  /** Runs the task after `ms` ms, also if it runs earlier for another reason. Has no effect while a delay is pending. */
  afterDelay(ms: number): void {
    this.delayed ??= delay(this.clock, ms, () => {
      this.delayed = undefined
      this.afterTick()
    })
  }

  cancelDelay(): void {
    this.delayed?.unsubscribe()
    this.delayed = undefined
  }

  cancel(): void {
    this.cancelDelay()
    this.scheduled?.unsubscribe()
    this.scheduled = undefined
  }

  private readonly run = (): void => {
    this.scheduled = undefined
    this.task()
  }
}

/** In ms: 50 ms more than a second, because the network may deliver messages up to 50 ms closer together than they were sent. */
export const windowMs = 1_050

/** Limits the outgoing messages per second, over a sliding window. Times are monotonic, in ms. */
export class RateLimiter {
  /** When each message of the window was sent, the oldest first. */
  private readonly sentAt: number[] = []

  constructor(private readonly perSecond: number) {}

  available(now: number): number {
    while (now - (this.sentAt[0] ?? Infinity) >= windowMs) this.sentAt.shift()
    return Math.floor(this.perSecond) - this.sentAt.length
  }

  consume(count: number, now: number): void {
    if (this.perSecond !== Infinity) for (let sent = 0; sent < count; sent++) this.sentAt.push(now)
  }

  /** The delay until the next message may be sent, in ms; 0 if it may be sent now. */
  delay(now: number): number {
    const isFree = this.available(now) > 0
    const [oldest = now - windowMs] = this.sentAt
    return isFree ? 0 : oldest + windowMs - now
  }
}

/** Calls back once after the current tick, unless unsubscribed. */
export const asap = (clock: Clock, callback: () => void): Subscription =>
  new Subscription(clock.startImmediate(callback))

/** The limits of a slice, in ms. A shorter timer is often late without a blocked event loop. */
const shortestSlice = 5
const longestSlice = 50

/** After the event loop was blocked, data that arrived before may be read until this much later, in ms. */
const maxBacklogTime = 500

/**
 * Deadlines of one length, for work that needs several turns of the event loop, such as a dial or a request: time in which the
 * event loop was blocked does not count. One timer measures the time of all deadlines in short slices: one that is late counts
 * as its length, so a service that floods the client does not postpone a deadline forever. Times are monotonic, in ms.
 */
export class ResponsiveDeadlines {
  /** In the order of their ends. Not a `Set`: V8 keeps what was in it until it collects its old space. */
  private readonly running: { readonly endsAt: number; readonly onDeadline: () => void }[] = []
  private timer: Subscription | undefined
  /** The time that has counted so far, up to the current slice. */
  private counted = 0
  private sliceStartedAt = 0
  private slice = 0
  private blockedUntil = -Infinity
  /** While a deadline runs: what had arrived by this time has been read. */
  readUntil = -Infinity

  constructor(
    private readonly clock: Clock,
    /** The length of each deadline. */
    readonly ms: number,
  ) {}

  start(onDeadline: () => void): Cancel {
    const now = this.clock.elapsed()
    const { running } = this
    const inSlice = running.length === 0 ? 0 : Math.min(now - this.sliceStartedAt, this.slice)
    const each = { endsAt: this.counted + inSlice + this.ms, onDeadline }
    if (running.push(each) === 1) this.startSlice()
    return () => {
      const index = running.indexOf(each)
      if (index === -1) return
      running.splice(index, 1)
      if (running.length === 0) this.startSlice()
    }
  }

  private startSlice(): void {
    const { clock, ms } = this
    this.timer?.unsubscribe()
    this.timer = undefined
    const [first] = this.running
    if (first === undefined) return
    const remaining = first.endsAt - this.counted
    const longest = Math.min(Math.max(ms / 10, shortestSlice), longestSlice)
    this.slice = clock.isVirtual ? remaining : Math.max(Math.min(remaining, longest), shortestSlice)
    this.sliceStartedAt = clock.elapsed()
    this.timer = delay(clock, this.slice, this.onSlice)
  }

  private readonly onSlice = (): void => {
    const { clock, slice, sliceStartedAt } = this
    const now = clock.elapsed()
    this.counted += slice
    if (now - sliceStartedAt > 2 * slice + shortestSlice) this.blockedUntil = now
    if (now - this.blockedUntil > maxBacklogTime) this.readUntil = sliceStartedAt
    const [first] = this.running
    if (first !== undefined && first.endsAt < this.counted + 1)
      this.timer?.add(afterReading(clock, noActivity, this.end))
    else this.startSlice()
  }

  private readonly end = (): void => {
    while ((this.running[0]?.endsAt ?? Infinity) < this.counted + 1) {
      try {
        this.running.shift()?.onDeadline()
      } catch (thrown) {
        // An exception in the handler of one deadline must not affect the others.
        reportError(thrown)
      }
    }
    this.startSlice()
  }
}

/** One deadline: calls back once after `ms` ms in which the event loop was not blocked, unless unsubscribed. */
export const responsiveDeadline = (clock: Clock, ms: number, callback: () => void): Subscription =>
  new Subscription(new ResponsiveDeadlines(clock, ms).start(callback))
