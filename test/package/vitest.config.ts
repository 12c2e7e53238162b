import { defineConfig } from 'vitest/config'
import { reporting, resolve } from '../../vitest.config.js'
import { LongestFirst } from '../support/run/longest-first.js'

export default defineConfig({
  resolve,
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/support/global-setup.ts', 'test/browser/support/start-chromium.ts'],
    sequence: { sequencer: LongestFirst },
    // Twice as many as CI has cores: the tests wait for npm and for pages.
    maxWorkers: 4,
    // Most tests start processes, some of them compilers.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    ...reporting,
  },
})
