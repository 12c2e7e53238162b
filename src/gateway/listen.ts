import type { Server } from 'node:http'
import { listenOn, type ListenAddress } from '../server/listen.js'
import { GatewayError } from './gateway-error.js'

/** Resolves to the port. Rejects with a `GatewayError` that names the option which prevents it. */
export const listen = async (server: Server, address: ListenAddress): Promise<number> => {
  try {
    return await listenOn(server, address)
  } catch (thrown) {
    throw listenError(thrown, address)
  }
}

const portProblems: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'cannot be opened without the permission for it',
}

const listenError = (thrown: unknown, { host, port }: ListenAddress): GatewayError => {
  const error: NodeJS.ErrnoException = thrown instanceof Error ? thrown : new Error('unknown')
  const { code = 'unknown' } = error
  const portProblem = portProblems[code]
  return portProblem === undefined
    ? new GatewayError(
        'host',
        `cannot listen on ${host} (${code}); use an address of this machine, such as 127.0.0.1`,
        error,
      )
    : new GatewayError(
        'port',
        `port ${port} ${portProblem}; choose another one, or 0 for any free port`,
        error,
      )
}
