import fc from 'fast-check'
import { afterAll, expect, inject } from 'vitest'
import { currentDelegates, unusedDelegates } from '../time/unused-delegates.js'

// All files of a run use one seed. `TEST_SEED=<seed>` repeats a failure; the run prints the seed at its start.
fc.configureGlobal({ seed: inject('seed') })

// Test files share one process: a file must not leave a delegate in RxJS's providers.
afterAll(() => {
  expect(currentDelegates()).toEqual(unusedDelegates)
})
