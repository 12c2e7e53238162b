import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

export interface ListenAddress {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
}

/** Listens on an address. Resolves to the port. Rejects with the error of the operating system. */
export const listenOn = (server: Server, address: ListenAddress): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })

/** Why a port cannot be listened on, and the solution; `undefined` if the port is not the reason of the error. */
export const portProblem = ({ code = '' }: NodeJS.ErrnoException, port: number): string | undefined => {
  const problem = portProblems[code]
  return problem && `port ${port} ${problem}; choose another one, or 0 for any free port`
}

const portProblems: Readonly<Partial<Record<string, string>>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'cannot be opened without the permission for it',
}

/** Closes all connections except upgraded ones. Resolves when all connections are closed and the port is free. */
export const stopListening = (server: HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
