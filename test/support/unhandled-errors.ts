import { config } from 'rxjs'
import { afterEach, beforeEach } from 'vitest'

/** Collects the errors that RxJS reports as unhandled, in each test of the calling file. Returns those of the current test. */
export const collectUnhandledErrors = (): readonly unknown[] => {
  const errors: unknown[] = []
  beforeEach(() => {
    errors.length = 0
    config.onUnhandledError = (error) => errors.push(error)
  })
  afterEach(() => {
    config.onUnhandledError = null
  })
  return errors
}
