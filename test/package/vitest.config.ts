import { defineConfig } from 'vitest/config'
import { reporting } from '../../vitest.config.js'

export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    globalSetup: ['test/package/support/global-setup.ts'],
    // Each test starts programs of its own, compilers among them.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    ...reporting,
  },
})
