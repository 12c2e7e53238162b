import { config } from 'rxjs'
import { afterEach, beforeEach } from 'vitest'

/** What Rx reports of handlers that throw, in every test of the file that calls it. */
export const unhandledErrors = (): readonly unknown[] => {
  const reported: unknown[] = []
  beforeEach(() => {
    reported.length = 0
    config.onUnhandledError = (error) => reported.push(error)
  })
  afterEach(() => {
    config.onUnhandledError = null
  })
  return reported
}
