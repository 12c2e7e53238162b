import type { Client, Dispatcher, Pool } from 'undici/index.js'
import type { HttpTransport } from '../ports.js'
import { connectionClients, type RequestOptions } from './connection.js'
import { Dialer, type DialerOptions } from './dialer.js'
import { ResponseHandler } from './response-handler.js'
import type { UndiciModules } from './undici-package.js'

export interface UndiciOptions extends DialerOptions {
  /** The number of requests that the caller sends at the same time. */
  readonly maxConcurrentRequests: number
}

/**
 * Minimum of the limit of connections to one origin. It exceeds the default of concurrent requests, because the
 * connection of an aborted request may still be closing or dialling.
 */
const minConnections = 256

/** HTTP over `undici`, with one pool of connections for each origin. */
export const undiciTransport = (modules: UndiciModules, options: UndiciOptions): HttpTransport => {
  const dialer = new Dialer(modules, options)
  const createConnectionClient = connectionClients(modules)
  const connections = Math.max(minConnections, 2 * options.maxConcurrentRequests)
  const pools = new Map<string, Pool>()
  /** Connections outside of the pools, of one request each. */
  const singles = new Set<Client>()
  let isClosed = false

  const poolOf = (origin: string): Pool => {
    const pool =
      pools.get(origin) ??
      new modules.Pool(origin, { connections, factory: (url) => createConnectionClient(url, dialer) })
    pools.set(origin, pool)
    return pool
  }

  const dispatch = (options: RequestOptions, handler: ResponseHandler, newConnection: boolean): void => {
    if (isClosed) throw new modules.errors.ClientDestroyedError()
    const { origin = '' } = options
    if (!newConnection) {
      poolOf(String(origin)).dispatch(options, handler)
      return
    }
    const single = createConnectionClient(origin, dialer)
    singles.add(single)
    single.dispatch(options, handler)
    void single.close().then(() => singles.delete(single))
  }

  return {
    get: ({ origin, path, headers, maxBodyBytes, newConnection = false }, onResult) => {
      const handler = new ResponseHandler(maxBodyBytes, onResult)
      const onConnection: RequestOptions['onConnection'] = (connection) => handler.onConnection(connection)
      try {
        dispatch({ origin, path, headers, method: 'GET', onConnection }, handler, newConnection)
      } catch (thrown) {
        handler.onResponseError(undefined, thrown)
      }
      return () => handler.abort()
    },
    close: async () => {
      isClosed = true
      const dispatchers: readonly Dispatcher[] = [...pools.values(), ...singles]
      await Promise.all([...dispatchers.map((each) => each.destroy()), dialer.close()])
    },
  }
}
