import type { Server } from 'node:net'
import { listenOn } from '../gateway/server/listen.js'
import { SimulatorError } from './simulator-error.js'

/** The only address that the simulator listens on. */
export const host = '127.0.0.1'

/** Listens on loopback; port 0 selects any free port. Resolves to the port. Rejects with a `SimulatorError` for `option`. */
export const listen = (server: Server, port: number, option: string): Promise<number> =>
  listenOn(server, { host, port }, (error, problem) => {
    const { code = 'unknown' } = error
    return new SimulatorError(option, problem ?? `port ${port} cannot be opened (${code})`, error)
  })
