import { readFileSync } from 'node:fs'

const { compilerOptions } = JSON.parse(
  readFileSync(new URL('../tsconfig.json', import.meta.url), 'utf8'),
) as { readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly [source: string]>> } }

/** The source of each entry point, such as `./src/operators/index.ts`, by its name in imports. */
export const sourceByEntryPoint: ReadonlyMap<string, string> = new Map(
  Object.entries(compilerOptions.paths).map(([name, [source]]) => [name, source]),
)

/** The path of an entry point in `dist`, without `.js`. */
export const builtName = (entryPoint: string): string => {
  const name = entryPoint.slice('svc-streams/'.length)
  if (name === '') return 'index'
  return name === 'browser' ? 'browser' : `${name}/index`
}

/** The sources of the entry points and of the program of the worker threads, by their paths in `dist`, without `.js`. */
export const builtSources: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...sourceByEntryPoint].map(([name, source]) => [builtName(name), source])),
  'sweep/worker/main': './src/backtest/sweep/worker/main.ts',
}
