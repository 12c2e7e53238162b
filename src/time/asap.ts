import { Subscription } from 'rxjs'
import { startImmediate } from './rx-providers.js'

/** Calls back once after the current tick, unless unsubscribed. */
export const asap = (callback: () => void): Subscription => new Subscription(startImmediate(callback))
