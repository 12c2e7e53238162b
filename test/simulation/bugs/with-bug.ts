import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { sourceByEntryPoint } from '../../../scripts/entry-points.js'
import type * as Search from '../search/index.js'
import { withEdits, type Edits } from './edits.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The bundles are here, because they import the packages of the project. */
const folder = join(root, 'node_modules/.cache/simulation')

/** By entry point. An alias takes precedence over `packages`. */
const sources = Object.fromEntries(
  [...sourceByEntryPoint].map(([name, source]) => [name, join(root, source)]),
)

let lastBundle = 0

/** The simulation of a copy of the sources that has a bug. */
export const withBug = async (bug: Edits): Promise<typeof Search> => {
  const outfile = join(folder, `${process.pid}-${++lastBundle}.mjs`)
  await build({
    entryPoints: [join(root, 'test/simulation/search/index.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    alias: sources,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [putBack(bug)],
  })
  try {
    return (await import(pathToFileURL(outfile).href)) as typeof Search
  } finally {
    await rm(outfile)
  }
}

const putBack = (bug: Edits): Plugin => ({
  name: 'bug',
  setup: (builder) => {
    const texts = withEdits(bug)
    builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = texts.get(path)
      return contents === undefined ? undefined : { contents, loader: 'ts' }
    })
  },
})
