import { asyncScheduler } from 'rxjs'
import { performanceNow } from './rx-providers.js'

// Two clocks. Both are RxJS's, so both are virtual inside `TestScheduler.run`.

/** The time of day, in ms since the Unix epoch: for values that users read and services check. It may jump. */
export const wallClock = (): number => asyncScheduler.now()

/** Monotonic time, in ms: for ages and deadlines, which setting the clock must not change. */
export const elapsed = (): number => performanceNow()
