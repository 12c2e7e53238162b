import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { connectionEvent } from '../server/consumer-input.js'
import { writeResponse, type HttpResponse } from '../server/http-response.js'
import { listenOn, type ListenAddress } from '../server/listen.js'
import { GatewayError } from '../gateway.js'
import type { GatewayTls } from '../options.js'

/** Sockets for HTTP, in addition to those of WebSockets. */
const httpSockets = 256

/** Limits of one server. They bound the memory and the sockets that a consumer can hold. Times are in ms. */
export const httpLimits = (maxConnections: number) => ({
  /** Number of sockets; further sockets are closed at once. */
  maxSockets: maxConnections + httpSockets,
  /** Time after which a socket without data in either direction is closed. */
  idleTimeout: 120_000,
  /** Time within which a request's headers must arrive, and a TLS handshake must complete. */
  headersTimeout: 10_000,
  /** Time within which a whole request must arrive. */
  requestTimeout: 15_000,
  /** Interval at which the two limits above are checked. */
  connectionsCheckingInterval: 1_000,
  /** Time for which a connection waits for its next request. */
  keepAliveTimeout: 30_000,
  /** In bytes. */
  maxHeaderSize: 16 * 1024,
})

export type HttpLimits = ReturnType<typeof httpLimits>

/** An HTTP server, or an HTTPS server if there is a certificate, that answers malformed and slow requests itself. */
export const createHttpServer = (
  { maxSockets, idleTimeout, ...limits }: HttpLimits,
  tls: ReturnType<typeof parsePem> | undefined,
): Server => {
  // Node would answer a request without a Host itself, without a limit: `checkAccess` refuses it.
  const options = { ...limits, requireHostHeader: false }
  const server =
    tls === undefined
      ? createServer(options)
      : createTlsServer({ ...options, ...tls, handshakeTimeout: options.headersTimeout })
  server.maxConnections = maxSockets
  server.timeout = idleTimeout
  return server
}

/** With a listener of upgrades, Node ends the HTTP of a socket at each offer: the server gets the request again, without the offer. */
export const serveAsRequest = (
  server: Server,
  { method = '', url = '', httpVersion, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    const isOffer = /^(?:upgrade|http2-settings)$/i.test(name)
    // Without `upgrade`, the options of the connection have no meaning except for this one.
    const isKept = !/^connection$/i.test(name) || /\bclose\b/i.test(value)
    if (!isOffer && isKept) lines.push(`${name}: ${/^connection$/i.test(name) ? 'close' : value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit(connectionEvent(server), socket)
}

/** Resolves to the port. Rejects with a `GatewayError` that names the faulty option. */
export const listen = (server: Server, address: ListenAddress): Promise<number> =>
  listenOn(server, address, (error, problem) => {
    if (problem !== undefined) return new GatewayError('port', problem, error)
    const { code = 'unknown' } = error
    return new GatewayError(
      'host',
      `cannot listen on ${address.host} (${code}); use an address of this machine, such as 127.0.0.1`,
      error,
    )
  })

/** Prices are never answered from a cache, and no page of another origin embeds a response, also without CORS. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

export const writeGatewayResponse = (to: ServerResponse, response: HttpResponse): void =>
  writeResponse(to, { ...response, headers: { ...commonHeaders, ...response.headers } })

/** Throws a `ConfigurationError` unless the key belongs to the certificate. */
export const parsePem = ({ key, cert }: GatewayTls): Record<keyof GatewayTls, Buffer> => {
  try {
    const pair = { key: Buffer.from(key), cert: Buffer.from(cert) }
    createSecureContext(pair)
    // The context accepts a key of another type than the certificate's.
    if (new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key))) return pair
  } catch {
    // The error of OpenSSL may contain input.
  }
  throw new ConfigurationError('tls', 'expected a private key and its certificate, in PEM')
}
