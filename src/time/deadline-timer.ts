import type { Subscription } from 'rxjs'
import { elapsed } from './clock.js'
import { deadline } from './deadline.js'

/** One timer for many deadlines, set to what comes first. Times are of the clock that only moves forward, in ms. */
export class DeadlineTimer {
  private waiting: Subscription | undefined
  private dueAt = Infinity

  constructor(
    /** Counts the signs of life: a deadline waits for what has come and is not read yet. */
    private readonly seen: () => number,
    private readonly due: () => void,
  ) {}

  /** It may ring earlier than is asked for now, and never later. */
  set(nextDue: number): void {
    if (nextDue === Infinity) this.clear()
    if (nextDue >= this.dueAt) return
    this.clear()
    this.dueAt = nextDue
    const ring = (): void => {
      this.clear()
      this.due()
    }
    this.waiting = deadline(Math.max(0, nextDue - elapsed()), ring, this.seen)
  }

  private clear(): void {
    this.waiting?.unsubscribe()
    this.dueAt = Infinity
  }
}
