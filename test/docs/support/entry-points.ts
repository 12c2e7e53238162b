import { readPage } from './block.js'

const { exports } = JSON.parse(readPage('package.json')) as { readonly exports: object }

/** The entry points of the package, from the `exports` of package.json. */
const entryPoints = Object.keys(exports)
  .filter((path) => path !== './package.json')
  .map((path) => `svc-streams${path.slice(1)}`)

/** The run-time exports of each entry point, by name. */
export const exportsByEntryPoint: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(
  await Promise.all(
    entryPoints.map(
      async (entry) => [entry, (await import(entry)) as Readonly<Record<string, unknown>>] as const,
    ),
  ),
)
