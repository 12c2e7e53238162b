import { rm, writeFile } from 'node:fs/promises'
import { runCommand } from './run-command.js'

// Below node_modules, which git and the linters pass over.
const outDir = 'bench/node_modules/.build'
const outUrl = new URL('../node_modules/.build/', import.meta.url)

/** Compiles the project as it is now into a folder of the benchmark's own: what `dist` holds may be older. */
export const buildLibrary = async (): Promise<void> => {
  await rm(outUrl, { recursive: true, force: true })
  await runCommand('npx', ['tsc', '-p', 'tsconfig.build.json', '--outDir', outDir, '--declaration', 'false'])
  // Node looks no further up than node_modules for what kind of modules these are.
  await writeFile(new URL('package.json', outUrl), '{ "type": "module", "sideEffects": false }\n')
}
