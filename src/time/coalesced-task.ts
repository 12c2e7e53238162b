import type { Subscription } from 'rxjs'
import { asap } from './asap.js'
import { delay } from './deadline.js'

/** When something is done that need not be done at once: after this tick, in the next turn, or after a wait. Once each. */
export class CoalescedTask {
  private scheduled: Subscription | undefined
  private delayed: Subscription | undefined

  constructor(private readonly task: () => void) {}

  /** Whether it waits for a time to come. */
  get isDelayed(): boolean {
    return this.delayed !== undefined
  }

  /** After all that happens in this tick, so that coming and going within it costs nothing. */
  afterTick(): void {
    this.scheduled ??= asap(this.run)
  }

  /** When the event loop has had its turn. */
  afterTurn(): void {
    this.scheduled ??= delay(0, this.run)
  }

  /** In so many ms, whatever else is done meanwhile. */
  afterDelay(ms: number): void {
    this.delayed ??= delay(ms, () => {
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
