import { noDelegates, readDelegates, type RxDelegates } from '../../../src/backtest/replay/rx-delegates.js'

/** The delegates of RxJS's providers now. */
export const currentDelegates = (): RxDelegates => {
  const delegates = noDelegates()
  readDelegates(delegates)
  return delegates
}

/** The delegates of RxJS's providers while time is real. */
export const unusedDelegates: RxDelegates = noDelegates()
