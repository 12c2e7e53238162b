import { readFile, writeFile } from 'node:fs/promises'

const build = new URL('../node_modules/.build/', import.meta.url)

const importOf = /^(?:import|export)\s(?:[\w$*{},\s]*\sfrom\s)?['"]([^'"]+)['"]/gm

/** The packages and built-in modules that the main entry point imports statically, found by following its own files. */
const externalImports = async (): Promise<readonly string[]> => {
  const external = new Set<string>()
  const visited = new Set<string>()
  const follow = async (url: URL): Promise<void> => {
    if (visited.has(url.href)) return
    visited.add(url.href)
    for (const [, specifier = ''] of (await readFile(url, 'utf8')).matchAll(importOf)) {
      if (specifier.startsWith('.')) await follow(new URL(specifier, url))
      else external.add(specifier)
    }
  }
  await follow(new URL('index.js', build))
  return [...external].toSorted()
}

/** Writes a module that imports only the external imports of the main entry point, and returns them. */
export const writeDependenciesOnly = async (): Promise<readonly string[]> => {
  const specifiers = await externalImports()
  const lines = specifiers.map((specifier) => `import '${specifier}'\n`)
  await writeFile(new URL('dependencies-only.js', build), lines.join(''))
  return specifiers
}
