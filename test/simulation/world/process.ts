import { nextTick } from 'node:process'
import type { World } from './world.js'
import { PriorityQueue } from '../../../src/backtest/recording/read/priority-queue.js'

/** A timer or an immediate. The platform passes it to the code of the process as an opaque handle. */
export interface Timer {
  dueAt: number
  order: number
  /** In ms; `undefined` if it fires once. */
  readonly period: number | undefined
  readonly callback: () => void
  isPending: boolean
}

/** Data that has arrived: `read` is called in the poll phase. What one `source` has sent is read in one tick. */
interface Arrival {
  readonly source: object
  readonly read: () => void
}

/** The process whose code runs: the platform is that of this process. */
let running: SimulatedProcess | undefined

const setRunning = (process: SimulatedProcess | undefined): void => {
  running = process
}

export const runningProcess = (): SimulatedProcess => {
  if (running === undefined) throw new Error('code of the library runs outside of a simulated process')
  return running
}

/** Node's shortest timer, in ms. */
const shortestTimer = 1

/** In ms since the Unix epoch: the time of day at the start of a simulation. */
export const startOfTime = Date.UTC(2030, 0, 1)

/**
 * An event loop like that of Node: timers, then the data that has arrived, then immediates; promises in between. A stopped
 * process (SIGSTOP) runs nothing while its clocks go on; when it continues, late timers run before the data is read.
 */
export class SimulatedProcess {
  private readonly timers = new PriorityQueue<Timer>((a, b) => a.dueAt - b.dueAt || a.order - b.order)
  private immediates: Timer[] = []
  private arrivals: Arrival[] = []
  private lastOrder = 0
  private state: 'running' | 'stopped' | 'dead' = 'running'
  private nextTurnAt = Infinity
  /** Until when the current callback blocks the event loop. */
  private busyUntil = 0
  private pausedMs = 0
  private stoppedAt = 0
  private stops = 0
  /** When the process was stopped the last time, and when it continued, in ms. */
  lastStop: { readonly from: number; readonly to: number } | undefined
  /** True if one read takes all data of a source, as that of Node; false: each message is read when the last one is done. */
  readsAhead = true
  /** The number of timers and immediates that have neither fired nor been cleared. */
  pendingTimers = 0

  constructor(
    readonly name: string,
    private readonly world: World,
    /** The difference of its time of day to the true one, in ms. */
    private readonly clockError: number,
    private readonly onException: (thrown: unknown) => void,
    /** Called at the end of each turn. */
    private readonly onTurn: () => void = () => undefined,
  ) {}

  /** The time as the process reads it. Monotonic, in ms: later than that of the world while a callback blocks. */
  get now(): number {
    return Math.max(this.world.now, this.busyUntil)
  }

  get wallClock(): number {
    return startOfTime + this.now + this.clockError
  }

  /** The monotonic clock. Machines whose times of day differ were started at different times, too. In ms. */
  get uptime(): number {
    return this.now + Math.abs(this.clockError)
  }

  /** Like `now`, without the time in which the process could run nothing. */
  get activeMs(): number {
    const stopped = this.state === 'stopped' ? this.world.now - this.stoppedAt : 0
    return this.now - this.pausedMs - stopped
  }

  get isDead(): boolean {
    return this.state === 'dead'
  }

  get isStopped(): boolean {
    return this.state === 'stopped'
  }

  /** Runs code in the process, as soon as it is running: the code of a user. */
  run(callback: () => void): void {
    this.receive({}, callback)
  }

  /** Runs code in the process at once: its first code, which creates what it consists of. */
  enter<A>(callback: () => A): A {
    const before = running
    setRunning(this)
    try {
      return callback()
    } finally {
      setRunning(before)
    }
  }

  /** Data has arrived. */
  receive(source: object, read: () => void): void {
    if (this.isDead) return
    this.arrivals.push({ source, read })
    this.wakeAt(this.now)
  }

  /** The current callback takes this long, in ms. */
  block(ms: number): void {
    this.busyUntil = this.now + ms
    this.pausedMs += ms
  }

  /** SIGSTOP. The process continues once each `stop` is followed by a `continue`. */
  stop(): void {
    if (this.isDead || this.stops++ > 0) return
    this.state = 'stopped'
    this.stoppedAt = this.world.now
  }

  /** SIGCONT. Returns how long the process was stopped, in ms; `undefined` if it still is, or is dead. */
  continue(): number | undefined {
    if (this.state !== 'stopped' || --this.stops > 0) return undefined
    this.state = 'running'
    const stoppedMs = this.world.now - this.stoppedAt
    this.pausedMs += stoppedMs
    // The callback goes on for the time that it still needed.
    if (this.busyUntil > this.stoppedAt) this.busyUntil += stoppedMs
    this.lastStop = { from: this.stoppedAt, to: this.world.now }
    this.wakeAt(this.world.now)
    return stoppedMs
  }

  kill(): void {
    this.state = 'dead'
    this.arrivals = []
    this.immediates = []
  }

  addTimer(callback: () => void, ms: number | undefined, isPeriodic: boolean): Timer {
    const delay = ms !== undefined && ms > shortestTimer ? Math.trunc(ms) : shortestTimer
    const dueAt = this.now + delay
    const period = isPeriodic ? delay : undefined
    const timer = { dueAt, order: this.lastOrder++, period, callback, isPending: true }
    this.pendingTimers++
    this.timers.push(timer)
    this.wakeAt(dueAt)
    return timer
  }

  addImmediate(callback: () => void): Timer {
    const timer = { dueAt: this.now, order: 0, period: undefined, callback, isPending: true }
    this.pendingTimers++
    this.immediates.push(timer)
    this.wakeAt(this.now)
    return timer
  }

  clear(timer: Timer | undefined): void {
    if (timer?.isPending !== true) return
    timer.isPending = false
    this.pendingTimers--
  }

  private wakeAt(at: number): void {
    if (at >= this.nextTurnAt) return
    this.nextTurnAt = at
    this.world.at(at, () => (this.nextTurnAt === at ? this.turn() : undefined))
  }

  /** One turn of the event loop. */
  private async turn(): Promise<void> {
    this.nextTurnAt = Infinity
    if (this.state !== 'running') return
    if (this.busyUntil > this.world.now) {
      this.wakeAt(this.busyUntil)
      return
    }
    setRunning(this)
    const dueUntil = this.now
    for (
      let next = this.timers.peek();
      next !== undefined && next.dueAt <= dueUntil;
      next = this.timers.peek()
    ) {
      this.timers.pop()
      if (next.isPending) await this.fire(next)
    }
    await this.readArrivals()
    const { immediates } = this
    this.immediates = []
    for (const immediate of immediates) if (immediate.isPending) await this.fire(immediate)
    setRunning(undefined)
    this.scheduleNextTurn()
    this.onTurn()
  }

  private fire(timer: Timer): Promise<void> {
    if (timer.period === undefined) this.clear(timer)
    else {
      timer.dueAt = this.now + timer.period
      timer.order = this.lastOrder++
      this.timers.push(timer)
    }
    return this.tick(timer.callback)
  }

  private async readArrivals(): Promise<void> {
    const { arrivals } = this
    this.arrivals = []
    for (let index = 0; index < arrivals.length && !this.isDead;) {
      if (!this.readsAhead && this.busyUntil > this.world.now) {
        this.arrivals = [...arrivals.slice(index), ...this.arrivals]
        return
      }
      const { source } = arrivals[index]!
      await this.tick(() => {
        do arrivals[index++]!.read()
        while (this.readsAhead && arrivals[index]?.source === source)
      })
    }
  }

  /** Calls back, then lets all promises settle. */
  private tick(callback: () => void): Promise<void> {
    try {
      callback()
    } catch (thrown) {
      this.onException(thrown)
    }
    return new Promise((resolve) => nextTick(() => void Promise.resolve().then(resolve)))
  }

  private scheduleNextTurn(): void {
    if (this.arrivals.length > 0 || this.immediates.length > 0) return this.wakeAt(this.now)
    for (let next = this.timers.peek(); next !== undefined; next = this.timers.peek()) {
      if (next.isPending) return this.wakeAt(Math.max(this.now, next.dueAt))
      this.timers.pop()
    }
  }
}
