import { Subscription } from 'rxjs'
import type { Clock } from './clock.js'

/** Calls back once after the current tick, unless unsubscribed. */
export const asap = (clock: Clock, callback: () => void): Subscription =>
  new Subscription(clock.startImmediate(callback))
