import type { RxDelegates } from '../../../src/time/rx-providers.js'

/** The delegates of RxJS's providers while time is real. */
export const unusedDelegates: RxDelegates = {
  date: undefined,
  performance: undefined,
  interval: undefined,
  immediate: undefined,
  frame: undefined,
}
