// Not by name: a bundle often declares `createRequire` itself.
import module from 'node:module'
import type * as undici from 'undici/index.js'

export type UndiciPackage = Pick<typeof undici, 'Agent' | 'Client' | 'errors' | 'fetch'>

/**
 * Loads `undici`, which takes most of the start-up time of a program. The import of a package fails while the process has no
 * free descriptor, and Node then returns the same failure for every later `import()` of it. `require` reads the files again, so
 * it is tried next: it succeeds once there are descriptors. Rejects with the failure of the import.
 */
export const importUndici = async (): Promise<UndiciPackage> => {
  try {
    return withExports(await import('undici/index.js'))
  } catch (failure) {
    try {
      // A CommonJS bundle has no `import.meta.url`.
      const require = module.createRequire(typeof __filename === 'string' ? __filename : import.meta.url)
      return require('undici/index.js') as UndiciPackage
    } catch {
      throw failure
    }
  }
}

/** Node 22 reads the names of the exports once. If it could not, the later import of the package has its default export only. */
const withExports = (imported: UndiciPackage & { readonly default?: UndiciPackage }): UndiciPackage =>
  Reflect.has(imported, 'Client') ? imported : (imported.default ?? imported)
