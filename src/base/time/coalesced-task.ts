import { Subscription } from 'rxjs'
import type { Clock } from './clock.js'
import { delay } from './deadline.js'

/** Runs a task once per tick, per event-loop turn, or after a delay, for any number of requests. */
export class CoalescedTask {
  private scheduled: Subscription | undefined
  private delayed: Subscription | undefined

  constructor(
    private readonly clock: Clock,
    private readonly task: () => void,
  ) {}

  get isDelayed(): boolean {
    return this.delayed !== undefined
  }

  /** Runs the task after the current tick, so that changes that cancel out within it cost nothing. */
  afterTick(): void {
    this.scheduled ??= asap(this.clock, this.run)
  }

  /** Runs the task in the next event-loop turn. */
  afterTurn(): void {
    this.scheduled ??= delay(this.clock, 0, this.run)
  }

  /** Runs the task in the event-loop turn after the next one, when the immediates of the sockets have run too. */
  afterRead(): void {
    if (this.scheduled !== undefined) return
    const scheduled = new Subscription()
    this.scheduled = scheduled
    scheduled.add(delay(this.clock, 0, () => scheduled.add(this.clock.afterRead(this.run))))
  }

  /** Runs the task after `ms` ms, also if it runs earlier for another reason. Has no effect while a delay is pending. */
  afterDelay(ms: number): void {
    this.delayed ??= delay(this.clock, ms, () => {
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

/** Calls back once after the current tick, unless unsubscribed. */
export const asap = (clock: Clock, callback: () => void): Subscription =>
  new Subscription(clock.startImmediate(callback))
