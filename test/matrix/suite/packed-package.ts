import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'vitest/config'
import { createFacades } from './facades.js'

const facadePrefix = '\0facade:'

/** Bun replaces these packages by its own modules when they are imported by name, and Vitest then asks no plugin. */
const replacedByBun = / from '(ws|undici)'/g
const entryFiles: Readonly<Record<string, string>> = { ws: 'wrapper.mjs', undici: 'index.js' }

/**
 * Replaces modules of the sources by facades of the installed package, and dependencies by those installed beside it.
 * The runtime loads these packages itself, without a transformation.
 */
export const packedPackage = async (root: string, user: string): Promise<Plugin> => {
  const sources = join(root, 'src')
  const modules = join(user, 'node_modules')
  const facades = await createFacades(sources, join(modules, 'svc-streams/dist'))
  return {
    name: 'packed package',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (importer?.startsWith(facadePrefix) === true) return source
      if (source.startsWith('.') && importer !== undefined) {
        const module = resolve(dirname(importer), source).replace(/\.js$/, '.ts')
        return facades.has(module) ? facadePrefix + module : null
      }
      const name = /^(?:@[\w-]+\/)?[\w-]+/.exec(source)?.[0]
      if (name === undefined || !existsSync(join(modules, name))) return null
      // Vite resolves from the root of the project unless the importing file exists.
      return this.resolve(source, join(user, 'package.json'), { skipSelf: true })
    },
    transform: (code) =>
      'bun' in process.versions
        ? code.replaceAll(
            replacedByBun,
            (_, name: string) => ` from '${join(modules, name, entryFiles[name] ?? '')}'`,
          )
        : null,
    load: (id) => (id.startsWith(facadePrefix) ? facades.get(id.slice(facadePrefix.length)) : null),
  }
}
