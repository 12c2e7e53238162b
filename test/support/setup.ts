import fc from 'fast-check'
import { inject } from 'vitest'

// All files of a run use one seed. `TEST_SEED=<seed>` repeats a failure; the run prints the seed at its start.
fc.configureGlobal({ seed: inject('seed') })
