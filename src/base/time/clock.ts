import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import { Immediate } from 'rxjs/internal/util/Immediate'

/** The two times and the timers that a part of the library runs on. */
export interface Clock {
  /** True if time is virtual: no timer is late, and no data arrives between two timers. */
  readonly isVirtual: boolean
  /** Monotonic time, in ms, including suspends of the machine. Setting the system clock back does not change it. */
  readonly elapsed: () => number
  /** Like `elapsed`, for further readings within a tick: it is cheaper, and notices no suspend since the last one. */
  readonly elapsedInTick?: () => number
  /** The time of day, in ms since the Unix epoch: for values that users read and services check. It may jump. */
  readonly wallClock: () => number
  /** Of a replay, whose wall clock never goes back: by how much it is ahead of that of the recorder, which may have, in ms. */
  readonly group?: { readonly aheadMs: number }
  /** Of a replay: runs work of another time on this clock. */
  readonly run?: <A>(work: () => A) => A
  /** Calls back every `ms` ms. Returns the function that stops it. */
  readonly startInterval: (callback: () => void, ms: number) => () => void
  /** Calls back once after the current tick. Returns the function that cancels it. */
  readonly startImmediate: (callback: () => void) => () => void
  /** Calls back when the data that has arrived is read: at once in virtual time. Returns the function that cancels it. */
  readonly afterRead: (callback: () => void) => () => void
}

/** `afterRead` of a virtual clock: no data arrives between two timers. */
export const callAtOnce = (callback: () => void): (() => void) => {
  callback()
  return () => undefined
}

/** A pause of the process that a blocked event loop does not cause, in ms. */
export const maxBlockedMs = 60_000

export const clockOffset = (clock: Clock): number => clock.wallClock() - clock.elapsed()

/** In ms. A timer of 0 ms is 1 ms on Node. */
const shortestTimer = 1

/** The wall clock may be adjusted by this much without a suspend, in ms. */
const maxAdjustment = 2_000

/**
 * Monotonic time that includes suspends of the machine: it advances by what the clock advanced that advanced more. The
 * monotonic clock of Linux stands still during a suspend; those of macOS and Windows proceed. A wall clock that is set
 * forward has the same effect: values become stale although they are current, which is the safe error.
 */
const suspendAware = (wallClock: () => number, monotonic: () => number) => {
  // Not variables: V8 overwrites the number of a field in place, and allocates that of a variable of a closure.
  const state = { suspendedMs: 0, distance: wallClock() - monotonic() }
  const compare = (now: number, wall: number): void => {
    const distance = wall - now
    const advanced = distance - state.distance
    if (advanced > maxAdjustment) state.suspendedMs += advanced
    state.distance = distance
  }
  return {
    elapsed: (): number => {
      const now = monotonic()
      compare(now, wallClock())
      return now + state.suspendedMs
    },
    elapsedInTick: (): number => monotonic() + state.suspendedMs,
    wallClock: (): number => {
      const wall = wallClock()
      compare(monotonic(), wall)
      return wall
    },
  }
}

/** The system's clock, with the timers that are installed at this call: fake timers that a test installs later have no effect. */
export const systemClock = (): Clock => {
  // The objects, not their methods: `performance.now` must be called on `performance`.
  const { Date, performance, setInterval, clearInterval } = globalThis
  const { setTimeout, clearTimeout } = globalThis
  const startMacrotask = macrotasks()
  return {
    isVirtual: false,
    ...suspendAware(
      // eslint-disable-next-line no-restricted-properties -- the library's other code takes the time from here
      () => Date.now(),
      () => performance.now(),
    ),
    startInterval: (callback, ms) => {
      const handle = setInterval(callback, ms)
      return () => clearInterval(handle)
    },
    startImmediate: (callback) => {
      const handle = realImmediate.setImmediate(callback)
      return () => realImmediate.clearImmediate(handle)
    },
    // Node reads sockets between timers and immediates, Deno only before timers.
    afterRead: (callback) => {
      let cancel = (): void => undefined
      const timer = setTimeout(() => {
        cancel = startMacrotask(callback)
      }, shortestTimer)
      return () => {
        clearTimeout(timer)
        cancel()
      }
    },
  }
}

// RxJS reads clocks and starts timers through providers: `TestScheduler.run` replaces their delegates to make time virtual. The
// library uses these internals of RxJS, and not the schedulers above them: `asapScheduler` and `queueScheduler` drop queued
// actions after an action that throws, and `asyncScheduler` may stop permanently. `test/package/versions.test.ts` runs them with
// the oldest and the newest version of RxJS.

// Not the types of the providers: declarations of the package must not import internals of RxJS, or need the types of the DOM.

export type IntervalHandle = number | ReturnType<typeof setTimeout>

export interface ImmediateDelegate {
  readonly setImmediate: (handler: () => void, ...args: unknown[]) => IntervalHandle
  readonly clearImmediate: (handle: IntervalHandle) => void
}

export interface PerformanceDelegate {
  readonly now: () => number
  /** True if it gives the time of the platform. */
  readonly isReal?: boolean
}

export interface IntervalDelegate {
  readonly setInterval: (handler: () => void, timeout?: number, ...args: unknown[]) => IntervalHandle
  readonly clearInterval: (handle: IntervalHandle) => void
}

/** A replay replaces the delegates. `undefined`: RxJS uses the platform's clock or timer. */
interface Provider<D> {
  delegate: D | undefined
}

export const dateProvider: Provider<{ readonly now: () => number }> = dateTimestampProvider
export const performanceProvider: Provider<PerformanceDelegate> = performanceTimestampProvider
export const timerProvider: Provider<IntervalDelegate> = intervalProvider
export const asapProvider: Provider<ImmediateDelegate> = immediateProvider

export const isVirtualTime = (): boolean => {
  const { delegate } = performanceProvider
  return delegate !== undefined && delegate.isReal !== true
}

/** RxJS's own immediates, for a delegate that is active while time is real. */
export const realImmediate: ImmediateDelegate = {
  setImmediate: (handler) => Immediate.setImmediate(handler),
  clearImmediate: (handle) => Immediate.clearImmediate(handle as number),
}

/** For operators: RxJS's clock at the time of each call, virtual inside `TestScheduler.run` and inside a replay, real outside. */
export const rxClock: Clock = {
  get isVirtual() {
    return isVirtualTime()
  },
  elapsed: () => performanceTimestampProvider.now(),
  wallClock: () => dateTimestampProvider.now(),
  startInterval: (callback, ms) => {
    const handle = intervalProvider.setInterval(callback, ms)
    return () => intervalProvider.clearInterval(handle)
  },
  startImmediate: (callback) => {
    const handle = immediateProvider.setImmediate(callback)
    return () => immediateProvider.clearImmediate(handle)
  },
  afterRead: (callback) => (isVirtualTime() ? callAtOnce(callback) : systemClock().afterRead(callback)),
}

// Not in the file of the contexts, which imports all schedulers of RxJS: a page would load them.
let replayClock: Clock | undefined

export const setReplayClock = (clock: Clock | undefined): void => {
  replayClock = clock
}

/** The clock of the replay that is active at the time of this call. After the replay it continues in real time. */
export const activeReplayClock = (): Clock | undefined => replayClock

/** The time of day; in a replay that of the recorder, which has stamped the data. In ms since the Unix epoch. */
export const dataWallClock = (): number => rxClock.wallClock() - (replayClock?.group?.aheadMs ?? 0)

/** A key for the state of one strategy: the clock of its replay, or one object for all that runs in real time. */
export const activeTimeKey = (): object => replayClock ?? rxClock

/**
 * The clock that is active at the time of this call. A client keeps the clock that was active at its creation, even if
 * another clock is active when the client is used: inside `TestScheduler.run`, inside a replay, or under fake timers.
 */
export const currentClock = (): Clock => replayClock ?? (isVirtualTime() ? rxClock : systemClock())

export const resolved = Promise.resolve()

/** Reads the clocks once per tick, and again for the prices of a long tick. Virtual time is read every time. */
export class TickClock {
  private isRead = false
  /** When `wallClock` was read: monotonic, in ms. */
  private wallClockReadAt = 0
  /** Monotonic, in ms. */
  elapsed = 0
  /** In ms since the Unix epoch. */
  wallClock = 0

  constructor(private readonly clock: Clock) {
    this.elapsed = clock.elapsed()
  }

  refresh(): void {
    if (!this.isRead || this.clock.isVirtual) this.readClocks()
  }

  /** Like `refresh`, but reads the monotonic clock for each further price of a tick, because any handler may take seconds. */
  advance(): void {
    if (!this.isRead || this.clock.isVirtual) return this.readClocks()
    const { clock } = this
    this.elapsed = clock.elapsedInTick?.() ?? clock.elapsed()
    if (this.elapsed - this.wallClockReadAt < 1) return
    this.wallClock = this.clock.wallClock()
    this.wallClockReadAt = this.elapsed
  }

  private readClocks(): void {
    this.isRead = true
    // The reading of the wall clock notices a suspend of the machine, which `elapsed` then includes.
    this.wallClock = this.clock.wallClock()
    this.elapsed = this.wallClockReadAt = this.clock.elapsed()
    // A promise: `queueMicrotask` costs three times as much.
    void resolved.then(this.expire)
  }

  private readonly expire = (): void => {
    this.isRead = false
  }
}

/** Calls `work` in a later turn of the event loop. Returns the function that cancels it. */
export type StartMacrotask = (work: () => void) => () => void

/** The macrotasks of the runtime, with the functions that are installed at the time of this call. */
export const macrotasks = (): StartMacrotask => {
  // Browsers have no `setImmediate`, and delay nested timers by 4 ms.
  const runtime: Partial<typeof globalThis> = globalThis
  const { setImmediate, clearImmediate } = runtime
  if (setImmediate === undefined || clearImmediate === undefined) return startByMessage
  return (work) => {
    const immediate = setImmediate(work)
    return () => clearImmediate(immediate)
  }
}

const startByMessage: StartMacrotask = (work) => {
  const { port1, port2 }: { readonly port1: MessageTarget; readonly port2: MessageTarget } =
    new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    work()
  }
  port2.postMessage(undefined)
  return () => {
    // Deno delivers a message that was sent before the port is closed.
    port1.onmessage = null
    port1.close()
  }
}

/** A `MessagePort` as the web and Node have it. The types of Node lack `onmessage`; those of the web have another event. */
interface MessageTarget {
  onmessage?: ((this: never, event: never) => void) | null
  postMessage(message: undefined): void
  close(): void
}

/** Resolves in a later turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void macrotasks()(resolve))
