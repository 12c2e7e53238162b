import type { Server } from 'node:net'
import { listenOn, portProblem } from '../../server/listen.js'
import { SimulatorError } from '../simulator-error.js'

/** The only address that the simulator listens on. */
export const host = '127.0.0.1'

/**
 * Listens on loopback; port 0 selects any free port. Resolves to the port. Rejects with a `SimulatorError` for
 * `option` if the port cannot be listened on.
 */
export const listen = (server: Server, port: number, option: string): Promise<number> =>
  listenOn(server, { host, port }).catch((error: unknown) => {
    throw listenError(error as NodeJS.ErrnoException, port, option)
  })

const listenError = (error: NodeJS.ErrnoException, port: number, option: string): SimulatorError => {
  const problem = portProblem(error, port) ?? `port ${port} cannot be opened (${error.code ?? 'unknown'})`
  return new SimulatorError(option, problem, error)
}
