import { vi } from 'vitest'

/** Resolves when the check passes: when it neither throws, nor rejects, nor returns false. */
export const eventually = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(
    () => {
      const result = check()
      if (result === false) throw new Error(`still false: ${check.toString()}`)
      return result
    },
    // The timeout is far above any duration on a busy machine. It only yields the error of a check that never passes.
    { timeout: 50_000, interval: 5 },
  )
