import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { buildPage } from '../../../scripts/page/build-page.js'
import { builtSources } from '../../../scripts/entry-points.js'
import { bundle, defineRequire, programs, sources } from './bundle-programs.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The ES modules of the peers: each access of an import from bundled CommonJS calls a function. */
const alias = { 'fp-ts/lib': 'fp-ts/es6', 'io-ts/lib': 'io-ts/es6' }

const esRxjs: Plugin = {
  name: 'ES modules of RxJS',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^rxjs(?:\/|$)/ }, ({ path }) => {
      const file = path.startsWith('rxjs/internal/') ? `${path}.js` : `${path}/index.js`
      return { path: join(root, 'node_modules', file.replace('rxjs', 'rxjs/dist/esm')), sideEffects: false }
    })
  },
}

const compile = async (copy: string): Promise<void> => {
  // Bundled with their packages, because loading hundreds of files is slower.
  await bundle({
    entryPoints: [...sources, ...programs],
    outdir: copy,
    banner: { js: defineRequire },
    alias,
    plugins: [esRxjs],
  })
  // For programs that import the package by its name, and the command that imports such a module into its process. Both share
  // one RxJS.
  await bundle({
    entryPoints: { ...builtSources, 'cli/main': './src/cli/main.ts' },
    outdir: join(copy, 'dist'),
    banner: { js: defineRequire },
    alias,
    external: ['rxjs', 'rxjs/*', '@nats-io/*', '@opentelemetry/*'],
  })
  await buildPage(join(copy, 'dist/dashboard'))
}

/** The modules of RxJS that the package and the programs of its users import. */
const rxModules = [
  'rxjs',
  'rxjs/testing',
  ...['dateTimestamp', 'immediate', 'interval', 'performanceTimestamp'].map(
    (name) => `rxjs/internal/scheduler/${name}Provider`,
  ),
  'rxjs/internal/util/Immediate',
]

/**
 * Bundles RxJS into a few files: each process and each worker thread would load 200 files of it. The process of a test has
 * RxJS itself, and so a second instance if it imports a module of the copy.
 */
const bundleRxjs = async (folder: string): Promise<void> => {
  await build({
    absWorkingDir: root,
    entryPoints: rxModules.map((name) => ({ in: name, out: name.replace(/^rxjs\/?/, '') || 'index' })),
    outdir: folder,
    bundle: true,
    splitting: true,
    conditions: ['es2015'],
    platform: 'neutral',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  })
  const exports = { '.': './index.js', './*': './*.js' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'rxjs', type: 'module', exports }))
}

/** The packages of the repository, and RxJS in a few files. */
const linkPackages = async (folder: string): Promise<void> => {
  mkdirSync(folder)
  for (const entry of readdirSync(join(root, 'node_modules'), { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === 'rxjs') continue
    // On Windows, only an administrator may create any other kind of link.
    symlinkSync(join(root, 'node_modules', entry.name), join(folder, entry.name), 'junction')
  }
  await bundleRxjs(join(folder, 'rxjs'))
}

/** A copy of the compiled package beside the RxJS of the tests, for the modules that a test imports into its own process. */
const copyForProcess = (copy: string): void => {
  const folder = join(copy, 'in-process/node_modules')
  for (const name of ['package.json', 'dist'])
    cpSync(join(copy, name), join(folder, 'svc-streams', name), { recursive: true })
  symlinkSync(join(root, 'node_modules/rxjs'), join(folder, 'rxjs'), 'junction')
}

/** Compiles once per run, into a folder that is also a package. */
export default async (project: TestProject): Promise<() => void> => {
  const copy = mkdtempSync(join(tmpdir(), 'svc-streams-'))
  cpSync(join(root, 'package.json'), join(copy, 'package.json'))
  await linkPackages(join(copy, 'node_modules'))
  await compile(copy)
  copyForProcess(copy)
  project.onTestsRerun(() => compile(copy))
  project.provide('compiledCopy', copy)
  return () => rmSync(copy, { recursive: true, force: true })
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the compiled copy. */
    readonly compiledCopy: string
  }
}
