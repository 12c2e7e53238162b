import { Subscription } from 'rxjs'
import type { Clock } from './clock.js'
import { afterReading, delay, noActivity } from './deadline.js'

/**
 * A `deadline` that is restarted often. A restart only notes the time: one timer re-arms itself for the remainder. Times
 * are monotonic, in ms.
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
