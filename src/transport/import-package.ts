// Not by name: a bundle often declares `createRequire` itself.
import module from 'node:module'

/** `require`, for the packages of the library. A CommonJS bundle has no `import.meta.url`. */
export const requireHere = (): NodeJS.Require =>
  module.createRequire(typeof __filename === 'string' ? __filename : import.meta.url)

/**
 * Imports a package in CommonJS. The import of a package fails while the process has no free descriptor, and Node then
 * returns the same failure for every later `import()` of it. `require` reads the files again, so it is tried next: it
 * succeeds once there are descriptors. `start` imports the package by name, because bundlers read that name.
 * `exportName`: one of its exports. Rejects with the failure of the import.
 */
export const importPackage = async <T extends object>(
  name: string,
  exportName: string & keyof T,
  start: () => Promise<T>,
): Promise<T> => {
  try {
    return withExports(await start(), exportName)
  } catch (failure) {
    try {
      return requireHere()(name) as T
    } catch {
      throw failure
    }
  }
}

/** Node 22 reads the names of the exports once. If it could not, the later import of the package has its default export only. */
const withExports = <T extends object>(imported: T & { readonly default?: T }, exportName: keyof T): T =>
  exportName in imported || imported.default === undefined ? imported : imported.default
