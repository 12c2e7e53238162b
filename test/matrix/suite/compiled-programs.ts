import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { bundle, defineRequire, programs, sources } from '../../support/process/bundle-programs.js'
import { createFacades } from './facades.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const user = process.env['MATRIX_USER'] ?? ''
const dist = join(user, 'node_modules/svc-streams/dist')

/** Replaces modules of the sources by facades of the installed package. */
const packedPackage = (facades: ReadonlyMap<string, string>): Plugin => ({
  name: 'packed package',
  setup: (build) => {
    build.onResolve({ filter: /.*/ }, ({ path, importer, namespace, resolveDir }) => {
      if (path.startsWith(dist)) return { path, external: true }
      if (namespace === 'facade') return { path, namespace: 'file' }
      const isEntryPoint = importer === ''
      if (!isEntryPoint && !path.startsWith('.')) return null
      const module = resolve(isEntryPoint ? resolveDir : dirname(importer), path).replace(/\.js$/, '.ts')
      return facades.has(module) ? { path: module, namespace: 'facade' } : null
    })
    build.onLoad({ filter: /.*/, namespace: 'facade' }, ({ path }) => ({
      contents: facades.get(path) ?? '',
      resolveDir: dirname(path),
    }))
  },
})

/** Compiles the programs of the tests beside the installed package, which takes the place of the compiled sources. */
export default async (project: TestProject): Promise<void> => {
  const folder = join(user, 'compiled')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  const installed = readdirSync(join(user, 'node_modules'))
  await bundle({
    entryPoints: [...sources, ...programs],
    outdir: folder,
    external: installed.flatMap((name) => [name, `${name}/*`]),
    banner: { js: defineRequire },
    plugins: [packedPackage(await createFacades(join(root, 'src'), dist))],
  })
  project.provide('compiledCopy', folder)
}
