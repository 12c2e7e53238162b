import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname

/** A report for machines as well, where the environment names a file for it. */
const report = process.env['TEST_REPORT']

export const reporting =
  report === undefined ? {} : { reporters: ['default', 'json'], outputFile: { json: report } }

export default defineConfig({
  resolve: {
    alias: [
      { find: /^svc-streams$/, replacement: source('index.ts') },
      { find: /^svc-streams\/(\w+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Many wait for sockets and processes: two at once, also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Generous, for real sockets on a busy machine: every wait is for a condition.
    testTimeout: 30_000,
    // The packed package takes a minute: `npm run test:package`.
    exclude: ['test/package/**', '**/node_modules/**'],
    // Types take a compiler: `npm run test:types`.
    typecheck: {
      enabled: false,
      include: ['test/types/**/*.test-d.ts'],
      tsconfig: 'test/types/tsconfig.json',
    },
    coverage: { include: ['src/**'], reporter: ['text-summary', 'text'] },
    ...reporting,
  },
})
