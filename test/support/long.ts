import { inject } from 'vitest'

/** True under `npm run test:long`. */
export const isLong = inject('isLong')

/** The number of generated cases: all of them under `npm run test:long`, a tenth of them otherwise. */
export const sample = (count: number): number => (isLong ? count : Math.ceil(count / 10))

declare module 'vitest' {
  interface ProvidedContext {
    readonly isLong: boolean
    /** The seed of everything that tests generate; `TEST_SEED` sets it. */
    readonly seed: number
  }
}
