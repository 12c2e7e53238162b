import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { SimulatorError } from '../simulator-error.js'

/** The only interface that the simulator listens on. */
export const host = '127.0.0.1'

/** Listens on loopback. Resolves to the port, which is the one asked for unless that is 0. `option` names it. */
export const listen = (server: Server, port: number, option: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(refusal(error, port, option))
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Ends all connections but upgraded ones. Resolves when the port is free. */
export const stopListening = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const refusal = (error: NodeJS.ErrnoException, port: number, option: string): SimulatorError => {
  const why =
    error.code === 'EADDRINUSE' ? 'is in use already' : `cannot be listened on (${error.code ?? 'unknown'})`
  return new SimulatorError(option, `port ${port} ${why}; choose another one, or 0 for any free one`, error)
}
