import { defineConfig } from 'vitest/config'

const source = (path: string) => new URL(`./src/${path}`, import.meta.url).pathname

export default defineConfig({
  resolve: {
    alias: [
      { find: /^svc-streams$/, replacement: source('index.ts') },
      { find: /^svc-streams\/(\w+)$/, replacement: source('$1/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: false },
    coverage: { include: ['src/**'], reporter: ['text-summary', 'text'] },
  },
})
