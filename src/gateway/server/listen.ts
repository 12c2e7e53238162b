import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

export interface ListenAddress {
  readonly host: string
  /** 0 selects any free port. */
  readonly port: number
}

/** Resolves to the port. `problem`: why the port cannot be used, and the solution; `undefined` if the port is not the reason. */
export const listenOn = (
  server: Server,
  { host, port }: ListenAddress,
  failure: (error: NodeJS.ErrnoException, problem: string | undefined) => Error,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const problem = portProblems[error.code ?? '']
      const text = problem && `port ${port} ${problem}; choose another one, or 0 for any free port`
      reject(failure(error, text))
    }
    server.once('error', onError)
    // No other field of a caller's object: Node would listen to a `signal` too, once for each server.
    server.listen({ host, port }, () => {
      server.off('error', onError)
      resolve((server.address() as AddressInfo).port)
    })
  })

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
