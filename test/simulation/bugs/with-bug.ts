import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type * as Search from '../search/index.js'
import type { Bug } from './bugs.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The bundles are here, because they import the packages of the project. */
const folder = join(root, 'node_modules/.cache/simulation')

let lastBundle = 0

/** The simulation of a copy of the sources that has a bug. */
export const withBug = async (bug: Bug): Promise<typeof Search> => {
  const outfile = join(folder, `${process.pid}-${++lastBundle}.mjs`)
  await build({
    entryPoints: [join(root, 'test/simulation/search/index.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    // Paths of the configuration take precedence over packages.
    alias: { 'svc-streams': join(root, 'src/index.ts') },
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

/** A source file with a bug. Throws unless each of its texts occurs once. */
export const withEdits = ({ name, file, edits }: Bug, source: string): string =>
  edits.reduce((text, [correct, wrong]) => {
    if (text.split(correct).length !== 2) throw new Error(`${name}: not once in ${file}: ${correct}`)
    return text.replace(correct, () => wrong)
  }, source)

const putBack = (bug: Bug): Plugin => ({
  name: 'bug',
  setup: (builder) => {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path !== join(root, bug.file)) return undefined
      return { contents: withEdits(bug, await readFile(path, 'utf8')), loader: 'ts' }
    })
  },
})
