import { vi } from 'vitest'

/** Resolves when the check holds, however busy the machine is. */
export const eventually = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: 4000, interval: 10 })
