import fc from 'fast-check'
import { inject } from 'vitest'

// One seed for the whole run. A failure repeats under `TEST_SEED=<seed>`, which the reporter prints at the start.
fc.configureGlobal({ seed: inject('seed') })
