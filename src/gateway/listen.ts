import type { Server } from 'node:http'
import { listenOn, portProblem, type ListenAddress } from '../server/listen.js'
import { GatewayError } from './gateway-error.js'

/** Resolves to the port. Rejects with a `GatewayError` that names the option which prevents it. */
export const listen = async (server: Server, address: ListenAddress): Promise<number> => {
  try {
    return await listenOn(server, address)
  } catch (thrown) {
    throw listenError(thrown, address)
  }
}

const listenError = (thrown: unknown, { host, port }: ListenAddress): GatewayError => {
  const error: NodeJS.ErrnoException = thrown instanceof Error ? thrown : new Error('unknown')
  const problem = portProblem(error, port)
  if (problem !== undefined) return new GatewayError('port', problem, error)
  const { code = 'unknown' } = error
  return new GatewayError(
    'host',
    `cannot listen on ${host} (${code}); use an address of this machine, such as 127.0.0.1`,
    error,
  )
}
