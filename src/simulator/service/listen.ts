import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { SimulatorError } from '../simulator-error.js'

/** The only address that the simulator listens on. */
export const host = '127.0.0.1'

/**
 * Listens on loopback; port 0 selects any free port. Resolves to the port. Rejects with a `SimulatorError` for
 * `option` if the port cannot be listened on.
 */
export const listen = (server: Server, port: number, option: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenError(error, port, option))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Closes all connections except upgraded ones. Resolves when the port is free. */
export const stopListening = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const listenError = (error: NodeJS.ErrnoException, port: number, option: string): SimulatorError => {
  const reason =
    error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be opened (${error.code ?? 'unknown'})`
  return new SimulatorError(
    option,
    `port ${port} ${reason}; choose another one, or 0 for any free port`,
    error,
  )
}
