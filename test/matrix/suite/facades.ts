import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { builtName, sourceByEntryPoint } from '../../../scripts/entry-points.js'

// The packed package has no file for each module of the sources. A test that imports a module of the sources gets a
// facade instead: what an entry point exports comes from the packed package, the rest of the module from its source.
// Codecs have no facades, because they share a class with internal modules.

/** The code of the facades, by the path of the module that each replaces. `dist`: the folder of the packed package. */
export const createFacades = async (sources: string, dist: string): Promise<ReadonlyMap<string, string>> => {
  // A dynamic import, because a bundle would run a static one before the program that contains it.
  const facades = new Map([[join(sources, 'cli/main.ts'), `await import('${join(dist, 'cli/main.js')}')\n`]])
  for (const [entryPoint, source] of sourceByEntryPoint) {
    const door = join(sources, '..', source)
    const packed = join(dist, `${builtName(entryPoint)}.js`)
    facades.set(door, `export * from '${packed}'\n`)
    for (const [module, names] of await exportsByModule(door)) {
      if (facades.has(module) || module.startsWith(join(sources, 'wire/codec/'))) continue
      const internal = (await exportsOf(module)).filter((name) => !names.includes(name))
      facades.set(module, exportFrom(names, packed) + exportFrom(internal, module))
    }
  }
  return facades
}

/** `export { a, type B } from './c.js'`, with its names and its path. Exports from a package need no facade. */
const exportStatement = /^export \{([^}]*)\} from '(\.[^']+)'$/gm

/** `export * from './c.js'`, with its path. */
const exportAllStatement = /^export \* from '(\.[^']+)'$/gm

/** The values that an entry point exports under their own names, by module. */
const exportsByModule = async (door: string): Promise<ReadonlyMap<string, readonly string[]>> => {
  const byModule = new Map<string, readonly string[]>()
  const text = await readFile(door, 'utf8')
  for (const [, path = ''] of text.matchAll(exportAllStatement)) {
    for (const [module, names] of await exportsByModule(moduleAt(door, path))) byModule.set(module, names)
  }
  for (const [, list = '', path = ''] of text.matchAll(exportStatement)) {
    const names = list.split(',').map((name) => name.trim())
    const values = names.filter((name) => /^\w+$/.test(name))
    const module = moduleAt(door, path)
    if (values.length > 0) byModule.set(module, [...(byModule.get(module) ?? []), ...values])
  }
  return byModule
}

const moduleAt = (door: string, path: string): string => join(dirname(door), path).replace(/\.js$/, '.ts')

/** The values that a module exports. */
const exportsOf = async (module: string): Promise<readonly string[]> => {
  const { metafile } = await build({
    entryPoints: [module],
    outfile: basename(module),
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
  })
  return Object.values(metafile.outputs).flatMap((output) => output.exports)
}

const exportFrom = (names: readonly string[], path: string): string =>
  names.length === 0 ? '' : `export { ${names.join(', ')} } from '${path}'\n`
