import { defineConfig } from 'vitest/config'
import { reporting, resolve } from '../../vitest.config.js'

export default defineConfig({
  resolve,
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/support/global-setup.ts', 'test/browser/support/start-chromium.ts'],
    // As many as CI has cores: the tests wait for compilers, bundlers and npm.
    maxWorkers: 2,
    // Most tests start processes, some of them compilers.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    ...reporting,
  },
})
