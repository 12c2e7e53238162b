import { describe, type TestOptions } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test is skipped. */
    skipReason?: string
  }
}

/** The options of a test that is skipped if the condition holds. The end of the run prints the reason. */
export const skipIf = (isSkipped: boolean, reason: string): TestOptions =>
  isSkipped ? { skip: true, meta: { skipReason: reason } } : {}

type Body = () => void | Promise<void>

/** `describe` for tests that something may prevent, for this reason. */
export const describeUnless =
  (reason: string | undefined) =>
  (name: string, ...rest: readonly [body: Body] | readonly [options: TestOptions, body: Body]): void => {
    const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
    describe(name, { ...options, ...skipIf(reason !== undefined, reason ?? '') }, body)
  }
