import { Subscription } from 'rxjs'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'

/**
 * Calls once, after all that happens in this tick, unless it is unsubscribed from. It is what `asapScheduler` runs on,
 * and not that itself: its queue is everybody's, and where one action throws, all behind it are dropped.
 */
export const asap = (act: () => void): Subscription => {
  const handle = immediateProvider.setImmediate(act)
  return new Subscription(() => immediateProvider.clearImmediate(handle))
}
