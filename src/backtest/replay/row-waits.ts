import { Subscription } from 'rxjs'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/timers.js'

/** The waits before a row: for its time, for a subscriber, and for the readings of the history. `closing` ends them. */
export class RowWaits {
  /** True once the first header is emitted: every later row waits for a subscriber. */
  hasStarted = false
  private subscribers = 0
  /** The number of readings of the history that the replay waits for. */
  private holds = 0
  /** Ends the current wait. */
  private wake: () => void = () => undefined
  /** A time of the replay, in ms since the Unix epoch, and the real time at which it was reached, monotonic, in ms. */
  private anchor: { time: number; elapsed: number } | undefined

  /** `speed`: `Infinity` if no row waits for its time. */
  constructor(
    private readonly speed: number,
    private readonly realTime: Clock,
    private readonly closing: Subscription,
  ) {
    closing.add(() => this.wake())
  }

  get hasSubscribers(): boolean {
    return this.subscribers > 0
  }

  /** `by`: 1 for a new subscriber, -1 for one that has left. */
  countSubscriber(by: 1 | -1): void {
    this.subscribers += by
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
    return !this.isPaused && !this.isHeld && this.msUntil(time) <= 0
  }

  /** A time of the replay passes at once, in ms. */
  skip(ms: number): void {
    if (this.anchor !== undefined) this.anchor.time += ms
  }

  /** Resolves when a row of this time is due, or on `closing`. */
  async untilDue(time: number): Promise<void> {
    const { realTime, closing } = this
    while (!closing.closed && !this.isDue(time)) {
      const { isPaused } = this
      const startedAt = realTime.elapsed()
      await this.waiting(isPaused || this.isHeld ? Infinity : this.msUntil(time))
      if (isPaused && this.anchor !== undefined) this.anchor.elapsed += realTime.elapsed() - startedAt
    }
  }

  async untilReleased(): Promise<void> {
    while (this.isHeld && !this.closing.closed) await this.waiting()
  }

  private get isPaused(): boolean {
    return this.hasStarted && this.subscribers === 0
  }

  /** Time until a time of the replay, in real ms; 0 or less if it has passed. */
  private msUntil(time: number): number {
    if (this.speed === Infinity) return 0
    const elapsed = this.realTime.elapsed()
    this.anchor ??= { time, elapsed }
    return (time - this.anchor.time) / this.speed - (elapsed - this.anchor.elapsed)
  }

  /** Resolves on the next change, and after this real time, in ms. */
  private waiting(ms = Infinity): Promise<void> {
    return new Promise((resolve) => {
      const wait = new Subscription(resolve)
      this.wake = () => wait.unsubscribe()
      if (ms < Infinity) wait.add(delay(this.realTime, Math.ceil(ms), this.wake))
    })
  }
}
