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
  readonly date: { readonly now: () => number } | undefined
  readonly performance: PerformanceDelegate | undefined
  readonly interval: IntervalDelegate | undefined
  readonly immediate: ImmediateDelegate | undefined
}

export const readDelegates = (): RxDelegates => ({
  date: dateTimestampProvider.delegate,
  performance: performanceTimestampProvider.delegate,
  interval: intervalProvider.delegate,
  immediate: immediateProvider.delegate,
})

export const writeDelegates = ({ date, performance, interval, immediate }: RxDelegates): void => {
  dateTimestampProvider.delegate = date
  performanceTimestampProvider.delegate = performance
  intervalProvider.delegate = interval
  immediateProvider.delegate = immediate
}

/** True unless another clock is set. */
export const areWritten = ({ date }: RxDelegates): boolean => dateTimestampProvider.delegate === date

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
