import { asyncScheduler } from 'rxjs'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'

// Two clocks, both Rx's own, so that both are virtual inside `TestScheduler.run`.

/** The time of day in ms since the Unix epoch: for what people read and services check. It may jump. */
export const wallClock = (): number => asyncScheduler.now()

/** A time in ms that only moves forward: for ages and deadlines, which no set clock may change. */
export const elapsed = (): number => performanceTimestampProvider.now()

/** Whether time is virtual now. */
export const isVirtualTime = (): boolean => performanceTimestampProvider.delegate !== undefined
