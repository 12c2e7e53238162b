import type { Subscription } from 'rxjs'
import { soon } from './asap.js'
import { delay } from './deadline.js'

/** When something is done that need not be done at once: after this tick, in the next turn, or after a wait. Once each. */
export class Turns {
  private next: Subscription | undefined
  private wait: Subscription | undefined

  constructor(private readonly act: () => void) {}

  /** Whether it waits for a time to come. */
  get isWaiting(): boolean {
    return this.wait !== undefined
  }

  /** After all that happens in this tick, so that coming and going within it costs nothing. */
  soon(): void {
    this.next ??= soon(this.taken)
  }

  /** When the event loop has had its turn. */
  nextTurn(): void {
    this.next ??= delay(0, this.taken)
  }

  /** In so many ms, whatever else is done meanwhile. */
  after(ms: number): void {
    this.wait ??= delay(ms, () => {
      this.wait = undefined
      this.soon()
    })
  }

  stopWaiting(): void {
    this.wait?.unsubscribe()
    this.wait = undefined
  }

  stop(): void {
    this.stopWaiting()
    this.next?.unsubscribe()
    this.next = undefined
  }

  private readonly taken = (): void => {
    this.next = undefined
    this.act()
  }
}
