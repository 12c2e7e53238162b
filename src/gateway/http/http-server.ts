import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PemPair } from '../access/pem-pair.js'
import type { RequestHandler } from './request-handler.js'

/** Limits of one server. They bound the memory and the sockets that a consumer can hold. */
export interface HttpLimits {
  /** Number of sockets; further ones are closed at once. */
  readonly maxSockets: number
  /** Time within which a request's headers must arrive, and a TLS handshake must complete, in ms. */
  readonly headersTimeout: number
  /** Time within which a whole request must arrive, in ms. */
  readonly requestTimeout: number
  /** Interval at which the two limits above are checked, in ms. */
  readonly checkInterval: number
  /** Time after which a socket without data in either direction is closed, in ms. */
  readonly idleTimeout: number
  /** Time for which a connection waits for its next request, in ms. */
  readonly keepAliveTimeout: number
  /** In bytes. */
  readonly maxHeaderBytes: number
  /** Number of requests that one connection may send before the response of the first. */
  readonly maxPipelined: number
}

/** Sockets for HTTP beside those of WebSockets. */
const httpSockets = 256

export const httpLimits = (maxConnections: number): HttpLimits => ({
  maxSockets: maxConnections + httpSockets,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  checkInterval: 1_000,
  idleTimeout: 120_000,
  keepAliveTimeout: 30_000,
  maxHeaderBytes: 16 * 1024,
  maxPipelined: 16,
})

/** An HTTP server, or an HTTPS server if there is a certificate, that answers malformed and slow requests itself. */
export const createHttpServer = (
  limits: HttpLimits,
  tls: PemPair | undefined,
  onRequest: RequestHandler,
): Server => {
  const options: ServerOptions = {
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: limits.checkInterval,
    keepAliveTimeout: limits.keepAliveTimeout,
    maxHeaderSize: limits.maxHeaderBytes,
  }
  const server =
    tls === undefined
      ? createServer(options)
      : createTlsServer({ ...options, ...tls, handshakeTimeout: limits.headersTimeout })
  server.maxConnections = limits.maxSockets
  server.timeout = limits.idleTimeout
  server.on('request', withPipelineLimit(limits.maxPipelined, onRequest))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => endMalformed(error, socket))
  return server
}

/** Node parses pipelined requests without bound while their responses wait for the service. */
const withPipelineLimit = (maxPipelined: number, onRequest: RequestHandler): RequestHandler => {
  const pendingOf = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    const pending = (pendingOf.get(socket) ?? 0) + 1
    if (pending > maxPipelined) {
      socket.destroy()
      return
    }
    pendingOf.set(socket, pending)
    response.once('close', () => pendingOf.set(socket, (pendingOf.get(socket) ?? 1) - 1))
    onRequest(request, response)
  }
}

const statusLines: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Answers what is not an HTTP request, without repeating any of it. */
const endMalformed = ({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void => {
  // Other errors are those of the socket and of TLS.
  if (!socket.writable || !/^(?:HPE|ERR_HTTP)_/.test(code)) {
    socket.destroy()
    return
  }
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${statusLines[code] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
}
