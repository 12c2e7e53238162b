import { inject } from 'vitest'

/** True under `npm run test:soak`. */
export const isLong = inject('isLong')

/** The number of generated cases of a property: `count` under `npm run test:soak`, a twentieth of it otherwise. */
export const caseCount = (count: number): number => (isLong ? count : Math.ceil(count / 20))

declare module 'vitest' {
  interface ProvidedContext {
    readonly isLong: boolean
    /** The seed of all generated cases. `TEST_SEED` sets it. */
    readonly seed: number
  }
}
