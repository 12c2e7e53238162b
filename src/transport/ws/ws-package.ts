// Not by name: a bundle often declares `createRequire` itself.
import module from 'node:module'
import { join } from 'node:path'
import * as ws from 'ws'

/**
 * The package `ws`. Bun replaces the module `ws` by one of its own, but not a file of the package, nor the code of the
 * package in a bundle. The client of that module ignores `createConnection`, `closeTimeout` and the limits. Its server loses
 * the close frame of a connection with unsent data.
 */
const load = (): typeof ws => {
  // The module of Bun does not have this export.
  if (!('bun' in process.versions) || 'PerMessageDeflate' in ws) return ws
  // A CommonJS bundle has no `import.meta.url`.
  const require = module.createRequire(typeof __filename === 'string' ? __filename : import.meta.url)
  return require(join(folderOf(require), 'index.js')) as typeof ws
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

export const { WebSocket, WebSocketServer } = load()
