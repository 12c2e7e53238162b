import { config } from 'rxjs'
import { expect } from 'vitest'

/** Keeps the event loop busy. */
export const block = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Collects what Rx reports of handlers that throw, which would end the process otherwise. The function that it
 * gives waits for the reports and expects this many.
 */
export const reportedErrors = (): ((count: number) => Promise<void>) => {
  const reported: unknown[] = []
  config.onUnhandledError = (error) => reported.push(error)
  return async (count) => {
    await sleep(5)
    config.onUnhandledError = null
    expect(reported).toHaveLength(count)
  }
}
