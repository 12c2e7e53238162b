import { Subscription, type Observable } from 'rxjs'
import { reportError } from '../../../base/task/safe-notify.js'
import { delay } from '../../../base/time/deadline.js'
import { systemClock } from '../../../base/time/system-clock.js'
import type { Client } from '../../../client/client.js'
import type { Row } from '../../recording/codec/row.js'
import { Recorder } from '../../recording/read/read-entries.js'
import { RowTimes, statusRow$, uncorrelatedRow$ } from '../../recording/write/client-rows.js'
import type { Playback } from '../playback.js'
import { activeContext, runInContext } from '../rx-context.js'

/** The clocks of the recorder and of this process are the same if they differ by at most this time, in ms. */
const maxSkew = 2_000

/** The rows of a topic or a mint while a strategy wants it. */
export interface WantedRows {
  /** Called at the border, or at once after it. */
  readonly startLive: () => void
  readonly closing: Subscription
}

/** The rows of a live client, which continue those of a replay: each is emitted when it comes. */
export class LiveRows {
  /** True after the border: the past has ended. */
  isLive = false
  readonly times = new RowTimes((_, step) =>
    this.playback.runs.afterTick(() => {
      if (this.isLive) this.playback.skip(step)
    }),
  )
  readonly recorder = new Recorder()
  private readonly wanted = new Map<string, WantedRows & { count: number }>()
  /** A strategy subscribes on a clock of its own, on which a live client does not run. */
  private readonly context = activeContext()
  /** The replay is over. */
  readonly closing = new Subscription(() => this.timer.unsubscribe())
  private readonly clock = systemClock()
  private timer = Subscription.EMPTY

  constructor(private readonly playback: Playback) {}

  /** Wants rows until each subscription has ended. `create`: called for the first one. */
  want(key: string, subscription: Subscription, create: () => WantedRows): void {
    const known = this.wanted.get(key)
    const rows = known ?? { ...runInContext(this.context, create), count: 0 }
    rows.count++
    this.wanted.set(key, rows)
    subscription.add(() => {
      if (--rows.count > 0) return
      this.wanted.delete(key)
      runInContext(this.context, () => rows.closing.unsubscribe())
    })
    if (known === undefined && this.isLive) runInContext(this.context, rows.startLive)
  }

  /** Live rows without a past. `restart`: called after the last subscription has ended, so that a later one starts without a row. */
  fromBorder(row$: Observable<Row>, restart: () => void): WantedRows {
    const closing = new Subscription()
    const startLive = (): void => {
      closing.add(restart)
      closing.add(row$.subscribe((row) => this.push(row)))
    }
    return { startLive, closing }
  }

  /** Moves the clock of the strategy to the present. The live rows start after `onCaughtUp`. */
  start(client: Client, onCaughtUp: () => void): void {
    const { playback, times, closing } = this
    const { runs, streams } = playback
    this.recorder.baseEpoch = streams.latestEpoch
    const now = times.now()
    // The clock of the recorder may be ahead.
    if (runs.time > now + maxSkew) playback.skip(now - runs.time)
    runs.advance(now)
    onCaughtUp()
    this.isLive = true
    const report = { next: (row: Row) => this.push(row), error: reportError }
    const end = (): void => runs.afterTick(() => runs.tick(() => streams.complete(undefined)))
    closing.add(uncorrelatedRow$(client, times).subscribe(report))
    for (const rows of [...this.wanted.values()]) rows.startLive()
    closing.add(statusRow$(client, times).subscribe({ ...report, complete: end }))
    this.waitForTimer()
  }

  /** Emits a row. A strategy may subscribe inside of a tick, and a live stream may emit at once. */
  push(row: Row, recorder = this.recorder): void {
    this.playback.runs.afterTick(() => {
      this.playback.push(row, recorder)
      this.waitForTimer()
    })
  }

  /** The timers of the strategy fire when they are due: its clock moves only here and with each live row. */
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
}
