import { readFile, rm, writeFile } from 'node:fs/promises'
import { runCommand } from './run-command.js'

// Inside node_modules, which git and the linters ignore.
const outDir = 'bench/node_modules/.build'
const outUrl = new URL('../node_modules/.build/', import.meta.url)

const packageUrl = new URL('../../package.json', import.meta.url)

type Manifest = Readonly<Record<'name' | 'version' | 'type' | 'sideEffects' | 'imports', unknown>>

/** Modules that a benchmark imports beside the entry points. */
const internalModules = [
  'src/wire/auth/mac.ts',
  'src/wire/auth/secrets.ts',
  'src/wire/auth/sign-request.ts',
  'src/wire/platform/node.ts',
  'src/backtest/sweep/sweep.ts',
]

/** Compiles the current sources into a folder of the benchmark, because `dist` may be out of date. */
export const buildLibrary = async (): Promise<void> => {
  await rm(outUrl, { recursive: true, force: true })
  await runCommand('npm', ['run', 'build:code', '--', outDir, ...internalModules])
  await runCommand('node', ['scripts/build-ws.mjs', `${outDir}/ws.cjs`])
  // Node searches no folder above node_modules for the fields of a package. The command reads its version from the package.
  const { name, version, type, sideEffects, imports } = JSON.parse(
    await readFile(packageUrl, 'utf8'),
  ) as Manifest
  const exports = { './package.json': './package.json' }
  const manifest = JSON.stringify({ name, version, type, sideEffects, imports, exports })
  await writeFile(new URL('package.json', outUrl), manifest.replaceAll('./dist/', './'))
}
