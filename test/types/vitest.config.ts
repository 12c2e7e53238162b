import { defineConfig } from 'vitest/config'
import { reporting } from '../../vitest.config.js'

export default defineConfig({
  test: {
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      include: ['test/types/**/*.test-d.ts'],
      tsconfig: 'test/types/tsconfig.json',
    },
    ...reporting,
  },
})
