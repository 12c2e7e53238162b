import { readFile, writeFile } from 'node:fs/promises'

const build = new URL('../node_modules/.build/', import.meta.url)

const importOf = /^(?:import|export)\s(?:[\w$*{},\s]*\sfrom\s)?['"]([^'"]+)['"]/gm

/**
 * Everything that the main door imports from elsewhere, packages and Node's own modules, by following its own files.
 * What they import on first use only is not among it.
 */
const externalImports = async (): Promise<readonly string[]> => {
  const external = new Set<string>()
  const seen = new Set<string>()
  const follow = async (url: URL): Promise<void> => {
    if (seen.has(url.href)) return
    seen.add(url.href)
    for (const [, specifier = ''] of (await readFile(url, 'utf8')).matchAll(importOf)) {
      if (specifier.startsWith('.')) await follow(new URL(specifier, url))
      else external.add(specifier)
    }
  }
  await follow(new URL('index.js', build))
  return [...external].toSorted()
}

/** Writes a module that imports the same from elsewhere as the main door does, and nothing else. */
export const writeDependenciesOnly = async (): Promise<readonly string[]> => {
  const specifiers = await externalImports()
  const lines = specifiers.map((specifier) => `import '${specifier}'\n`)
  await writeFile(new URL('dependencies-only.js', build), lines.join(''))
  return specifiers
}
