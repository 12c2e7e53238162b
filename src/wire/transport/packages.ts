// Not by name: a bundle often declares `createRequire` itself.
import module from 'node:module'
import type * as undici from 'undici/index.js'
import type * as ws from 'ws'

/** A load that the first call starts, for all calls. After a failure, the next call starts it again. */
export const loadOnce = <A>(start: () => Promise<A>): (() => Promise<A>) => {
  let loading: Promise<A> | undefined
  return () =>
    (loading ??= start().catch((failure: unknown) => {
      loading = undefined
      throw failure
    }))
}

export type WsPackage = Pick<typeof ws, 'WebSocket' | 'WebSocketServer'>

/** Without them, `ws` uses its optional natives. It reads these variables once, when it is loaded. */
const variables = ['WS_NO_BUFFER_UTIL', 'WS_NO_UTF_8_VALIDATE']

/** Without optional natives: bundlers replace them by empty modules, and `ws` then fails for each frame of 32 bytes or more. */
export const importWs = loadOnce(async () => {
  const { env } = process
  const before = variables.map((name) => [name, env[name]] as const)
  try {
    for (const name of variables) env[name] = '1'
    return await importPackage('ws', 'WebSocketServer', startWs)
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(env, name)
      else env[name] = value
    }
  }
})

/** Bun replaces a package of this name by a module of its own, but not its folder. A bundle has no folder of it. */
const startWs = async (): Promise<WsPackage> => {
  if ('bun' in process.versions) {
    const require = requireHere()
    try {
      return require(require.resolve('ws/package.json').replace(/package\.json$/, '')) as WsPackage
    } catch {
      // The bundle contains it.
    }
  }
  return import('ws')
}

export type UndiciPackage = Pick<typeof undici, 'Agent' | 'Client' | 'errors' | 'fetch'>

export const importUndici = (): Promise<UndiciPackage> =>
  importPackage<UndiciPackage>('undici/index.js', 'Client', () => import('undici/index.js'))

/** `require`, for the packages of the library. A CommonJS bundle has no `import.meta.url`. */
const requireHere = (): NodeJS.Require =>
  module.createRequire(typeof __filename === 'string' ? __filename : import.meta.url)

/**
 * Imports a package in CommonJS. The import of a package fails while the process has no free descriptor, and Node then
 * returns the same failure for every later `import()` of it. `require` reads the files again, so it is tried next: it
 * succeeds once there are descriptors. `start` imports the package by name, because bundlers read that name.
 * `exportName`: one of its exports. Rejects with the failure of the import.
 */
const importPackage = async <T extends object>(
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
