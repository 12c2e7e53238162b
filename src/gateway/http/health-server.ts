import { methodNotAllowed, notFound } from '../../server/http-response.js'
import { stopListening, type ListenAddress } from '../../server/listen.js'
import { addressesOf } from '../addresses.js'
import { listen } from '../listen.js'
import { healthOf, type HealthState } from './health.js'
import { createHttpServer, httpLimits } from './http-server.js'
import { writeGatewayResponse } from './http-response.js'

export interface HealthServer extends AsyncDisposable {
  readonly baseUrl: string
}

/** Serves the health of a gateway that has no HTTP server of its own. Rejects with a `GatewayError`. */
export const startHealthServer = async (
  address: ListenAddress,
  state: () => HealthState,
): Promise<HealthServer> => {
  const server = createHttpServer(httpLimits(0), undefined, ({ method, url = '' }, response) => {
    const [path = ''] = url.split('?')
    const health = healthOf(path, state) ?? notFound
    writeGatewayResponse(response, health === notFound || method === 'GET' ? health : methodNotAllowed)
  })
  const { baseUrl } = addressesOf(address.host, await listen(server, address), false)
  return { baseUrl, [Symbol.asyncDispose]: () => stopListening(server) }
}
