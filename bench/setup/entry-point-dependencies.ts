import { writeFile } from 'node:fs/promises'

const build = new URL('../node_modules/.build/', import.meta.url)

/** The packages that a client with prices and depth loads. The main entry point imports some of them, and loads the others later. */
const packages = ['rxjs', 'fp-ts/lib/Either.js', 'io-ts/lib/index.js', 'undici', 'ws']

/** Writes a module that imports only these packages, and returns them. */
export const writeDependenciesOnly = async (): Promise<readonly string[]> => {
  const lines = packages.map((specifier) => `import '${specifier}'\n`)
  await writeFile(new URL('dependencies-only.js', build), lines.join(''))
  return packages
}
