// Not by name: a bundle often declares `createRequire` itself.
import module from 'node:module'
import type nodeDns from 'node:dns'
import type * as net from 'node:net'
import type * as tls from 'node:tls'
import type * as undici from 'undici/index.js'
import type * as ws from 'ws'

/** Defined by the build, which copies `ws` into the package, as `#ws`. */
declare const IS_BUILT: true | undefined

const wsModule = typeof IS_BUILT === 'undefined' ? 'ws' : '#ws'

/** What the WebSocket transport needs of packages and of Node. It is loaded by the first dial. */
export interface WsModules extends Pick<typeof ws, 'WebSocket'>, NetModules {}

export const importWs = async (): Promise<WsModules> => {
  const [{ WebSocket }, netModules] = await Promise.all([
    importPackage(wsModule, 'WebSocket', () => import('ws')),
    importNet(),
  ])
  return { WebSocket, ...netModules }
}

/** What the HTTP transport needs of packages and of Node. It is loaded by the first request. */
export interface UndiciModules extends Pick<typeof undici, UndiciName>, NetModules {}

type UndiciName = 'Agent' | 'Client' | 'Pool' | 'errors' | 'fetch'

export const importUndici = async (): Promise<UndiciModules> => {
  const [{ Agent, Client, Pool, errors, fetch }, netModules] = await Promise.all([
    importPackage('undici/index.js', 'Pool', () => import('undici/index.js')),
    importNet(),
  ])
  return { Agent, Client, Pool, errors, fetch, ...netModules }
}

interface NetModules {
  readonly dns: Pick<typeof nodeDns, 'lookup'>
  readonly net: Pick<typeof net, 'connect' | 'isIP'>
  readonly tls: Pick<typeof tls, 'connect'>
}

const importNet = async (): Promise<NetModules> => {
  const [dns, nodeNet, nodeTls] = await Promise.all([
    import('node:dns'),
    import('node:net'),
    import('node:tls'),
  ])
  return { dns: dns.default, net: nodeNet, tls: nodeTls }
}

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
