import type { Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { delay } from '../base/time/timers.js'
import { timeOfEvent } from '../base/time/event-time.js'
import { activeReplayClock, rxClock } from '../base/time/clock.js'
import { responsiveDelay } from './responsive-delay.js'

// Windows that data decides: each event belongs to the window of its `receivedAt`, however late a timer is. All times are
// in ms since the Unix epoch.

/** A longer time without an event, in windows, is not filled: it would block the event loop. */
export const maxQuietWindows = 1_000

/**
 * The time that decides the window of an event that arrives now. A held value was received before the millisecond in which it
 * arrives: if a multiple of a window's length is in this millisecond, the value belongs before it.
 */
export const windowTimeOf = (event: Either<unknown, unknown>, now = rxClock.wallClock()): number =>
  timeOfEvent(event, now, 1)

/** The current window of `ms` ms, aligned to multiples of `ms`. */
export class DataWindow {
  /** Number of the window since the Unix epoch. */
  number: number
  /** End of the window. */
  to: number

  constructor(
    readonly ms: number,
    /** The last arrival. */
    public latest: number,
  ) {
    this.number = Math.floor(latest / ms)
    this.to = (this.number + 1) * ms
  }

  /**
   * Moves to the window of a time. An event that is earlier than the window belongs to it, because the earlier window has
   * ended. Only a clock that is set back moves the window back. Returns true if the window has changed.
   */
  moveTo(time: number, now: number): boolean {
    const isSetBack = now < this.latest
    this.latest = now
    if (time < this.to && !isSetBack) return false
    const number = Math.floor(time / this.ms)
    if (number === this.number) return false
    this.number = number
    this.to = (number + 1) * this.ms
    return true
  }

  /**
   * Calls back with a time that has passed: after the events of the millisecond in which the window ends, because they may
   * have been received before. Calls back earlier if the clock was set back, or if the timer fires early by the clock.
   */
  startTimer(onTime: (time: number) => void): Subscription {
    const { ms, to } = this
    const remaining = Math.min(to - rxClock.wallClock(), ms)
    if (rxClock.isVirtual && activeReplayClock() === undefined)
      return afterFrame(remaining, () => onTime(rxClock.wallClock()))
    return responsiveDelay(Math.max(1, remaining + 1), () => onTime(rxClock.wallClock() - 1))
  }
}

/** Under a `TestScheduler`, timers of the same frame fire in the order of their creation: the second one comes last. */
const afterFrame = (ms: number, callback: () => void): Subscription => {
  const subscription = delay(rxClock, Math.max(0, ms), () => {
    subscription.add(delay(rxClock, 0, callback))
  })
  return subscription
}
