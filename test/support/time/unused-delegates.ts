import { readDelegates, type RxDelegates } from '../../../src/backtest/replay/rx-context.js'

/** The delegates of RxJS's providers now. */
export const currentDelegates = readDelegates

/** The delegates of RxJS's providers while time is real. */
export const unusedDelegates: RxDelegates = {
  date: undefined,
  performance: undefined,
  interval: undefined,
  immediate: undefined,
}
