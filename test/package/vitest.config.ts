import { defineConfig } from 'vitest/config'
import { reporting } from '../../vitest.config.js'

export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/support/global-setup.ts'],
    // Most tests start processes, some of them compilers.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    ...reporting,
  },
})
