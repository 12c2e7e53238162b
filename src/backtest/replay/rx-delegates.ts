import {
  asapProvider,
  dateProvider,
  performanceProvider,
  timerProvider,
  type ImmediateDelegate,
  type IntervalDelegate,
  type PerformanceDelegate,
} from '../../base/time/clock.js'

/** The delegates of the providers, except that of animation frames. */
export interface RxDelegates {
  readonly date: { readonly now: () => number } | undefined
  readonly performance: PerformanceDelegate | undefined
  readonly interval: IntervalDelegate | undefined
  readonly immediate: ImmediateDelegate | undefined
}

export const readDelegates = (): RxDelegates => ({
  date: dateProvider.delegate,
  performance: performanceProvider.delegate,
  interval: timerProvider.delegate,
  immediate: asapProvider.delegate,
})

export const writeDelegates = ({ date, performance, interval, immediate }: RxDelegates): void => {
  dateProvider.delegate = date
  performanceProvider.delegate = performance
  timerProvider.delegate = interval
  asapProvider.delegate = immediate
}

/** True unless another clock is set. */
export const areWritten = ({ date }: RxDelegates): boolean => dateProvider.delegate === date

/** Lets RxJS clear virtual timers in real time, or no longer. */
export const replaceInterval = (
  before: IntervalDelegate | undefined,
  after: IntervalDelegate | undefined,
): void => {
  if (timerProvider.delegate === before) timerProvider.delegate = after
}

/** RxJS's own timers, for a delegate that is active while time is real. */
export const realInterval: IntervalDelegate = {
  setInterval: (handler, timeout) => setInterval(handler, timeout),
  clearInterval: (handle) => clearInterval(handle),
}
