import { Subscription } from 'rxjs'
import type { Clock } from '../../base/time/clock.js'
import type { Connection } from './connection.js'

/** The interval between two checks, in ms. */
const checkInterval = 50

/** The maximum time between two checks that counts, in ms: in the rest of a longer time, the event loop was blocked. */
const longestCheck = 2 * checkInterval

/** Checks all connections at an interval. */
export class CheckTimer {
  private timer = Subscription.EMPTY
  private checkedAt = 0
  private responsiveTime = 0

  constructor(
    private readonly connections: ReadonlySet<Pick<Connection, 'check'>>,
    private readonly clock: Clock,
  ) {}

  /** Monotonic, in ms, without the time in which the event loop was blocked: a pong could neither be read nor sent. */
  readonly now = (): number => this.responsiveTime + this.sinceCheck

  /** Runs until there is no connection. Idempotent. */
  start(): void {
    if (!this.timer.closed) return
    this.checkedAt = this.clock.elapsed()
    this.timer = new Subscription(this.clock.startInterval(() => this.checkAll(), checkInterval))
  }

  stop(): void {
    this.timer.unsubscribe()
  }

  private get sinceCheck(): number {
    return Math.min(longestCheck, this.clock.elapsed() - this.checkedAt)
  }

  private checkAll(): void {
    this.responsiveTime = this.now()
    this.checkedAt = this.clock.elapsed()
    for (const connection of [...this.connections]) connection.check()
    if (this.connections.size === 0) this.stop()
  }
}
