import { Subscription } from 'rxjs'
import type { Clock } from '../../base/time/clock.js'
import type { Connection } from './connection.js'

/** A consumer that answers no ping for this time is ended, in ms. */
export const pongTime = 45_000

/** Two, because pongs are read late after the gateway's own event loop was blocked. */
const maxUnansweredPings = 2

/** The interval between the pings to each consumer, in ms. */
const pingInterval = pongTime / (maxUnansweredPings + 1)

/** The interval between the checks of the markers, in ms. */
const checkInterval = 50

/** The maximum time between two checks that counts, in ms: in the rest of a longer time, the event loop was blocked. */
const longestCheck = 2 * checkInterval

/** Pings and checks all connections at an interval, until unsubscribed. */
export class PingTimer {
  private pings = Subscription.EMPTY
  private checkedAt = 0
  private responsiveTime = 0

  constructor(
    private readonly connections: ReadonlySet<Pick<Connection, 'ping' | 'check'>>,
    private readonly clock: Clock,
  ) {}

  /**
   * Monotonic, in ms. Time in which the event loop was blocked does not count: neither could the gateway read pongs, nor
   * could a consumer in the same process answer.
   */
  readonly now = (): number => this.responsiveTime + this.sinceCheck

  /** Runs until there is no connection. Idempotent. */
  start(): void {
    if (!this.pings.closed) return
    this.checkedAt = this.clock.elapsed()
    this.pings = new Subscription()
    this.pings.add(this.clock.startInterval(() => this.pingAll(), pingInterval))
    this.pings.add(this.clock.startInterval(() => this.checkAll(), checkInterval))
  }

  stop(): void {
    this.pings.unsubscribe()
  }

  private get sinceCheck(): number {
    return Math.min(longestCheck, this.clock.elapsed() - this.checkedAt)
  }

  private pingAll(): void {
    for (const connection of [...this.connections]) connection.ping(maxUnansweredPings)
  }

  private checkAll(): void {
    this.responsiveTime = this.now()
    this.checkedAt = this.clock.elapsed()
    for (const connection of [...this.connections]) connection.check()
    if (this.connections.size === 0) this.stop()
  }
}
