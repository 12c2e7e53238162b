import { readFile, rm, writeFile } from 'node:fs/promises'
import { runCommand } from './run-command.js'

// Inside node_modules, which git and the linters ignore.
const outDir = 'bench/node_modules/.build'
const outUrl = new URL('../node_modules/.build/', import.meta.url)

/** Modules that a benchmark imports beside the entry points. */
const internalModules = [
  'src/wire/auth/secrets.ts',
  'src/wire/auth/sign-request.ts',
  'src/wire/platform/node.ts',
  'src/backtest/sweep/sweep.ts',
]

/** Compiles the current sources into a folder of the benchmark, because `dist` may be out of date. */
export const buildLibrary = async (): Promise<void> => {
  await rm(outUrl, { recursive: true, force: true })
  await runCommand('npm', ['run', 'build:code', '--', outDir, ...internalModules])
  // Node searches no folder above node_modules for the package of a file.
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  await writeFile(new URL('package.json', outUrl), manifest.replaceAll('./dist/', './'))
}
