// Bundles the entry points for Node. The first argument is another folder than `dist`; further sources, such as
// `src/wire/auth/sign-request.ts`, follow.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { builtSources } from './entry-points.js'

const [outdir = 'dist', ...others] = process.argv.slice(2)

const mainEntry = fileURLToPath(new URL('../src/index.ts', import.meta.url))

interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

const wsOfPackage = '#ws'

/** The packages that the chunk `client` imports. */
const peers = new Set<string>()

type Chunk = 'base' | 'client' | 'node'

/**
 * The chunk of each module of the main entry point. There are three, because Node needs almost half a millisecond for each file
 * that it loads: `base` loads no package, as the command and the simulator need it, `client` loads the peers, and `node` also
 * `ws`, for those that dial. They save a first price about 5 % of its processor time.
 */
const chunksOfMain = (modules: Modules): ReadonlyMap<string, Chunk> => {
  const chunks = new Map<string, Chunk>()
  const visit = (id: string): Chunk => {
    const known = chunks.get(id)
    if (known !== undefined) return known
    const imported = modules.getModuleInfo(id)?.importedIds ?? []
    for (const each of imported) if (isPeer(each)) peers.add(each)
    const needed = imported.map((each): Chunk => {
      if (each === wsOfPackage) return 'node'
      return peers.has(each) ? 'client' : visit(each)
    })
    const chunk = (['node', 'client'] as const).find((each) => needed.includes(each)) ?? 'base'
    chunks.set(id, chunk)
    return chunk
  }
  visit(mainEntry)
  return chunks
}

/**
 * The peers are imported through `#peers` of the package. For an import of a CommonJS package, Node reads the text of all
 * its files to find the names of its exports. `peers.cjs` requires the packages, which saves a first price a quarter of its
 * processor time, and an import of `svc-streams/operators` two fifths. Bundlers without the condition `node` take `peers.js`:
 * for them, `import 'rxjs'` and `require('rxjs')` are two copies.
 */
const requiredPeers: Plugin = {
  name: 'required peers',
  renderChunk(code) {
    const imported = new Set<string>()
    const take = (
      line: string,
      namespace: string | undefined,
      names: string | undefined,
      from: string,
    ): string => {
      // Another package of the peers, such as `rxjs/testing`, is for one entry point alone.
      if (!peers.has(from)) return line
      imported.add(nameOf(from))
      return `const ${namespace ?? `{ ${names?.replaceAll(' as ', ': ')} }`} = ${nameOf(from)};`
    }
    const rewritten = code.replace(importOfPeer, take)
    if (imported.size === 0) return undefined
    // No line moves, so the source map stays right.
    return { code: `import { ${[...imported].join(', ')} } from "#peers";${rewritten}`, map: null }
  },
  generateBundle() {
    const linesOf = (line: (from: string) => string): string =>
      Array.from(peers, (from) => `${line(from)}\n`).join('')
    const required = linesOf((from) => `exports.${nameOf(from)} = require('${from}')`)
    const imported = linesOf((from) => `export * as ${nameOf(from)} from '${from}'`)
    this.emitFile({ type: 'asset', fileName: 'peers.cjs', source: required })
    this.emitFile({ type: 'asset', fileName: 'peers.js', source: imported })
  },
}

const nameOf = (peer: string): string => peer.replace(/\W/g, '_')

/**
 * `ws` is imported through `#ws` of the package, which requires it: the ES module of `ws` imports each of its files, which takes
 * three times as long.
 */
const requiredWs: Plugin = {
  name: 'required ws',
  resolveId: (id) =>
    id === 'ws' ? { id: wsOfPackage, external: true, moduleSideEffects: false } : undefined,
  generateBundle() {
    const source = readFileSync(new URL('ws.cjs', import.meta.url), 'utf8')
    this.emitFile({ type: 'asset', fileName: 'ws.cjs', source })
  },
}

const importOfPeer = /^import (?:\* as (\w+)|\{ (.+?) \}) from "((?:rxjs|fp-ts|io-ts)\b[^"]*)";$/gm

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
    requiredWs,
    {
      name: 'packages',
      resolveId: (id, importer) =>
        importer === undefined || /^[./]/.test(id)
          ? undefined
          : { id, external: true, moduleSideEffects: false },
    },
    requiredPeers,
  ],
})
let chunks: ReadonlyMap<string, string> | undefined
await bundle.write({
  dir: outdir,
  format: 'esm',
  // The package contains the sources.
  sourcemap: true,
  sourcemapExcludeSources: true,
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
