import type { Subscription } from 'rxjs'
import type { Clock } from './clock.js'
import { deadline } from './deadline.js'

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

  /** Only moves the timer earlier, so it may fire before `nextDeadline`. `Infinity` stops it. */
  set(nextDeadline: number): void {
    if (nextDeadline === Infinity) this.clear()
    if (nextDeadline >= this.dueAt) return
    this.clear()
    this.dueAt = nextDeadline
    const fire = (): void => {
      this.clear()
      this.onDeadline()
    }
    this.timer = deadline(
      this.clock,
      Math.max(0, nextDeadline - this.clock.elapsed()),
      fire,
      this.activityCount,
    )
  }

  private clear(): void {
    this.timer?.unsubscribe()
    this.dueAt = Infinity
  }
}
