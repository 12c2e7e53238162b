import type { Subscription } from 'rxjs'
import { delay, maxLateMs, responsiveDeadline } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'

/** The time in which a source detects that its prices are too old, in ms. */
export const detectionTime = 1_000

/**
 * Calls back after `ms` ms. After a blocked event loop, Node runs timers before the source can emit what has arrived, or
 * that its last price is too old. The callback then waits until the event loop has been responsive for `detectionTime`.
 */
export const responsiveDelay = (ms: number, callback: () => void): Subscription => {
  const dueAt = rxClock.elapsed() + ms
  const end = (): void => {
    subscription.unsubscribe()
    callback()
  }
  const subscription = delay(rxClock, ms, () => {
    if (rxClock.elapsed() - dueAt <= maxLateMs) end()
    else subscription.add(responsiveDeadline(rxClock, detectionTime, end))
  })
  return subscription
}
