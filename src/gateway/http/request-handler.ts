import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { isIPv6, type Socket } from 'node:net'
import { allowOrigin, isPreflight, preflightResponse } from '../../server/cors.js'
import { textResponse, type HttpResponse, type TextResponse } from '../../server/http-response.js'
import { readBody } from '../../server/request.js'
import { checkAccess, type AccessConfig } from '../access/access.js'
import { writeGatewayResponse, type RequestHandler } from './http-server.js'
import type { Requester } from '../relay/request-queue.js'
import type { Route } from './routes.js'

export interface RequestHandlerConfig {
  readonly access: AccessConfig
  readonly service: string
  readonly route: Route
}

/** In bytes. The service's requests have no body. */
const maxBodyBytes = 16 * 1024

/** Answers the requests that have access. */
export const createRequestHandler =
  ({ access, service, route }: RequestHandlerConfig): RequestHandler =>
  (request, response) => {
    const { method = '', url: path = '', headers } = request
    const allowed = checkAccess(headers, access)
    response.setHeader('Vary', 'Origin')
    if (!allowed.isAllowed) {
      refuse(response, textResponse(403, allowed.reason))
      return
    }
    if (allowed.sharedWith !== undefined) {
      allowOrigin(response, allowed.sharedWith, exposedHeaders)
      if (isPreflight(request)) {
        writeGatewayResponse(response, gatewayPreflightResponse(headers, service))
        return
      }
    }
    // An absolute URL has a host of its own, which the access check has not seen.
    if (!path.startsWith('/')) {
      refuse(response, textResponse(400, 'Bad Request'))
      return
    }
    readBody(request, maxBodyBytes, (body) => {
      if (body === undefined) {
        refuse(response, textResponse(413, 'Payload Too Large'))
        return
      }
      const { socket } = request
      respond(socket, response, () => route({ method, path, headers, body, requester: requesterOf(socket) }))
    })
  }

/** A connection is a consumer: an address may be that of a proxy, whose consumers must not delay each other. */
const requesterOf = (socket: Socket): Requester => ({
  consumer: socket,
  group: addressGroupOf(socket.remoteAddress ?? ''),
})

/** The cancel functions of the requests of a connection that have no response yet. */
const cancelsOf = new WeakMap<Socket, Set<() => void>>()

/**
 * Runs the route, and cancels it when the consumer leaves. Node closes only the first of several pipelined responses
 * when their connection ends.
 */
const respond = (socket: Socket, response: ServerResponse, start: () => ReturnType<Route>): void => {
  if (response.destroyed || socket.destroyed) return
  const cancels = cancelsOf.get(socket) ?? trackCancels(socket)
  const cancel = start()((result) => writeGatewayResponse(response, result))
  cancels.add(cancel)
  response.once('close', () => {
    cancels.delete(cancel)
    cancel()
  })
}

const trackCancels = (socket: Socket): Set<() => void> => {
  const cancels = new Set<() => void>()
  cancelsOf.set(socket, cancels)
  socket.once('close', () => {
    for (const cancel of cancels) cancel()
  })
  return cancels
}

/** Answers a request whose body may be unread, and closes the connection. */
const refuse = (response: ServerResponse, refusal: HttpResponse): void => {
  writeGatewayResponse(response, { ...refusal, headers: { ...refusal.headers, Connection: 'close' } })
}

/** Hextets of the part of an IPv6 address that a network assigns to one site: 64 bits. */
const siteHextets = 4

/** An IPv4 address in the notation of IPv6. */
const mapped = /^::ffff:(?=\d+\.)/i

/** The addresses that may belong to one program: an IPv4 address, or the IPv6 addresses of one network. */
export const addressGroupOf = (address: string): string => {
  const plain = address.replace(mapped, '')
  if (!isIPv6(plain)) return plain
  const [before = '', after] = plain.replace(/%.*$/, '').split('::')
  const head = before.split(':').filter((hextet) => hextet !== '')
  const tail = (after ?? '').split(':').filter((hextet) => hextet !== '')
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, siteHextets).join(':')
}

/** The headers of a response that a client reads. */
const exposedHeaders = 'Date, Retry-After'

/** Allows GET, with the requested headers of the service. */
const gatewayPreflightResponse = (headers: IncomingHttpHeaders, service: string): TextResponse =>
  preflightResponse(serviceHeaders(headers, service).join(', '), {
    'Access-Control-Max-Age': '600',
    Vary: 'Origin, Access-Control-Request-Headers',
  })

const serviceHeaders = (headers: IncomingHttpHeaders, service: string): readonly string[] =>
  (headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name.startsWith(`x-${service.toLowerCase()}-`) && /^[\w-]+$/.test(name))
