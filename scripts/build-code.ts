// Bundles the entry points for Node. The first argument is another folder than `dist`; further sources, such as
// `src/wire/auth/mac.ts`, follow.

import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { builtSources } from './entry-points.js'
import { requiredPeers } from './required-peers.js'

const [outdir = 'dist', ...others] = process.argv.slice(2)

const mainEntry = fileURLToPath(new URL('../src/index.ts', import.meta.url))

interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

/**
 * The chunk of each module of the main entry point. Node needs almost half a millisecond for each file that it loads, so there
 * are two: `base` loads no package, as the command and the simulator need it, and `client` loads the peers.
 */
const chunksOfMain = (modules: Modules): ReadonlyMap<string, 'base' | 'client'> => {
  const chunks = new Map<string, 'base' | 'client'>()
  const visit = (id: string): 'base' | 'client' => {
    const known = chunks.get(id)
    if (known !== undefined) return known
    const imported = modules
      .getModuleInfo(id)
      ?.importedIds.map((each) => (isPeer(each) ? 'client' : visit(each)))
    const chunk = imported?.includes('client') === true ? 'client' : 'base'
    chunks.set(id, chunk)
    return chunk
  }
  visit(mainEntry)
  return chunks
}

const isPeer = (id: string): boolean => /^(?:rxjs|fp-ts|io-ts)\b/.test(id)

const bundle = await rolldown({
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  input: {
    ...builtSources,
    'cli/main': './src/cli/main.ts',
    ...Object.fromEntries(others.map((source) => [source.replace(/^src\/|\.ts$/g, ''), `./${source}`])),
  },
  platform: 'node',
  transform: { target: 'es2022' },
  plugins: [
    {
      name: 'packages',
      resolveId: (id, importer) =>
        importer === undefined || /^[./]/.test(id)
          ? undefined
          : { id, external: true, moduleSideEffects: false },
    },
    requiredPeers('client'),
  ],
})
let chunks: ReadonlyMap<string, string> | undefined
await bundle.write({
  dir: outdir,
  format: 'esm',
  chunkFileNames: 'chunk-[hash].js',
  hashCharacters: 'base36',
  comments: { legal: true, annotation: true, jsdoc: false },
  codeSplitting: {
    groups: [
      { debugName: 'main', name: (id, modules) => (chunks ??= chunksOfMain(modules)).get(id) ?? null },
    ],
  },
})
await bundle.close()
