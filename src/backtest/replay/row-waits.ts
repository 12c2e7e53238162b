import { Subscription } from 'rxjs'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import type { ReplayClock } from './replay-clock.js'

/** The waits before a row: for its time, for a subscriber, and for the readings of the history. `closing` ends them. */
export class RowWaits {
  /** True once the first header is emitted: every later row waits for a subscriber. */
  hasStarted = false
  private subscribers = 0
  /** The number of readings of the history that the replay waits for. */
  private holds = 0
  /** Ends the current wait. */
  private wake: () => void = () => undefined

  constructor(
    private readonly clock: ReplayClock,
    private readonly realTime: Clock,
    private readonly closing: Subscription,
  ) {
    closing.add(() => this.wake())
  }

  get hasSubscribers(): boolean {
    return this.subscribers > 0
  }

  addSubscriber(): void {
    this.subscribers++
    this.wake()
  }

  removeSubscriber(): void {
    this.subscribers--
    this.wake()
  }

  get isHeld(): boolean {
    return this.holds > 0
  }

  /** The replay pauses until the returned function is called. */
  hold(): () => void {
    this.holds++
    return () => {
      this.holds--
      this.wake()
    }
  }

  isDue(time: number): boolean {
    return !this.isPaused && this.clock.msUntil(time) <= 0
  }

  /** Resolves when a row of this time is due, or on `closing`. */
  async untilDue(time: number): Promise<void> {
    while (!this.closing.closed && !this.isDue(time)) {
      if (this.isPaused) await this.pause()
      else await this.waiting((wake) => delay(this.realTime, Math.ceil(this.clock.msUntil(time)), wake))
    }
  }

  async untilReleased(): Promise<void> {
    while (this.isHeld && !this.closing.closed) await this.waiting()
  }

  private get isPaused(): boolean {
    return this.hasStarted && this.subscribers === 0
  }

  private async pause(): Promise<void> {
    this.clock.pause()
    while (this.isPaused && !this.closing.closed) await this.waiting()
    this.clock.resume()
  }

  /** `start`: starts what may end the wait. */
  private waiting(start?: (wake: () => void) => Subscription): Promise<void> {
    return new Promise((resolve) => {
      const wait = new Subscription(resolve)
      this.wake = () => wait.unsubscribe()
      wait.add(start?.(this.wake))
    })
  }
}
