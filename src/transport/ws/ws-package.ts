import type * as net from 'node:net'
import { join } from 'node:path'
import type * as tls from 'node:tls'
import type * as ws from 'ws'
import { importPackage, requireHere } from '../import-package.js'

type Ws = Pick<typeof ws, 'WebSocket' | 'WebSocketServer'>

/** What the transport needs of packages and of Node. It is loaded by the first dial. */
export interface WsModules extends Pick<Ws, 'WebSocket'> {
  readonly net: Pick<typeof net, 'connect' | 'isIP'>
  readonly tls: Pick<typeof tls, 'connect'>
}

export const importWs = async (): Promise<WsModules> => {
  const [imported, nodeNet, nodeTls] = await Promise.all([
    importPackage('ws', 'WebSocket', () => import('ws')),
    import('node:net'),
    import('node:tls'),
  ])
  return { WebSocket: genuineWs(imported).WebSocket, net: nodeNet, tls: nodeTls }
}

/**
 * The package `ws`. Bun replaces the module `ws` by one of its own, but not a file of the package, nor the code of the
 * package in a bundle. The client of that module ignores `createConnection`, `closeTimeout` and the limits. Its server loses
 * the close frame of a connection with unsent data.
 */
export const genuineWs = (imported: Ws): Ws => {
  // The module of Bun does not have this export.
  if (!('bun' in process.versions) || 'PerMessageDeflate' in imported) return imported
  const require = requireHere()
  return require(join(folderOf(require), 'index.js')) as Ws
}

const folderOf = (require: NodeJS.Require): string => {
  try {
    return join(require.resolve('ws/package.json'), '..')
  } catch {
    throw new Error(
      'Bun has replaced the package ws by its own module: bundle ws, or install it with the program',
    )
  }
}
