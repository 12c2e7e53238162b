import { inject } from 'vitest'

/** True under `npm run test:soak`. */
export const isLong = inject('isLong')

/**
 * The number of generated cases of a property: `count` under `npm run test:soak`, a twentieth of it under `npm test`.
 * `TEST_CASES=0.25` makes it a quarter under `npm run test:soak`. At most a twentieth leaves out the files that
 * `npm test` has run with the same cases.
 */
export const caseCount = (count: number): number => Math.ceil(count * inject('caseShare'))

declare module 'vitest' {
  interface ProvidedContext {
    readonly isLong: boolean
    /** The seed of all generated cases. `TEST_SEED` sets it. */
    readonly seed: number
    /** The share of the generated cases that are run. */
    readonly caseShare: number
  }
}
