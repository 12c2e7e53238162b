// Not by name: a bundle often declares `createRequire` itself.
import module from 'node:module'
import { join } from 'node:path'
import * as ws from 'ws'

/**
 * The package `ws`. Bun replaces the module `ws` by one of its own, which ignores `createConnection`, `closeTimeout` and
 * the limits of this client, but not a file of the package.
 */
const load = (): typeof ws => {
  if (!('bun' in process.versions)) return ws
  const require = module.createRequire(import.meta.url)
  return require(join(require.resolve('ws/package.json'), '../index.js')) as typeof ws
}

export const { WebSocket } = load()
