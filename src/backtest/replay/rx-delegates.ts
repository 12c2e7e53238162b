import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import type { ImmediateDelegate, IntervalHandle, PerformanceDelegate } from '../../base/time/clock.js'

// The delegates of RxJS's providers, which a replay replaces: see `src/base/time/clock.ts`.

interface IntervalDelegate {
  readonly setInterval: (handler: () => void, timeout?: number, ...args: unknown[]) => IntervalHandle
  readonly clearInterval: (handle: IntervalHandle) => void
}

/** The delegates of the providers, except that of animation frames. `undefined`: RxJS uses the platform's clock or timer. */
export interface RxDelegates {
  date: { readonly now: () => number } | undefined
  performance: PerformanceDelegate | undefined
  interval: IntervalDelegate | undefined
  immediate: ImmediateDelegate | undefined
}

/** Copies the delegates to an object: a replay does so for each row. */
export const readDelegates = (to: RxDelegates): void => {
  to.date = dateTimestampProvider.delegate
  to.performance = performanceTimestampProvider.delegate
  to.interval = intervalProvider.delegate
  to.immediate = immediateProvider.delegate
}

export const writeDelegates = ({ date, performance, interval, immediate }: RxDelegates): void => {
  dateTimestampProvider.delegate = date
  performanceTimestampProvider.delegate = performance
  intervalProvider.delegate = interval
  immediateProvider.delegate = immediate
}

/** True unless another clock is set. */
export const areWritten = ({ date }: RxDelegates): boolean => dateTimestampProvider.delegate === date

export const noDelegates = (): RxDelegates => ({
  date: undefined,
  performance: undefined,
  interval: undefined,
  immediate: undefined,
})

/** Lets RxJS clear virtual timers in real time, or no longer. */
export const replaceInterval = (
  before: IntervalDelegate | undefined,
  after: IntervalDelegate | undefined,
): void => {
  if (intervalProvider.delegate === before) intervalProvider.delegate = after
}

/** RxJS's own timers, for a delegate that is active while time is real. */
export const realInterval: IntervalDelegate = {
  setInterval: (handler, timeout) => setInterval(handler, timeout),
  clearInterval: (handle) => clearInterval(handle),
}
