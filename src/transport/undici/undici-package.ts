import type * as net from 'node:net'
import type * as tls from 'node:tls'
import type * as undici from 'undici/index.js'
import { importPackage } from '../import-package.js'

/** What the transport needs of packages and of Node. It is loaded by the first request. */
export interface UndiciModules extends Pick<typeof undici, 'Client' | 'Pool' | 'errors'> {
  readonly net: Pick<typeof net, 'connect' | 'isIP'>
  readonly tls: Pick<typeof tls, 'connect'>
}

export const importUndici = async (): Promise<UndiciModules> => {
  const [{ Client, Pool, errors }, nodeNet, nodeTls] = await Promise.all([
    importPackage('undici/index.js', 'Pool', () => import('undici/index.js')),
    import('node:net'),
    import('node:tls'),
  ])
  return { Client, Pool, errors, net: nodeNet, tls: nodeTls }
}
