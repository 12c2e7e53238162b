import type { IncomingHttpHeaders } from 'node:http'
import { preflightResponse } from '../../server/cors.js'
import type { TextResponse } from '../../server/http-response.js'

/** The headers of a response that a client reads. */
export const exposedHeaders = 'Date, Retry-After'

/** Allows GET, with the requested headers of the service. */
export const gatewayPreflightResponse = (headers: IncomingHttpHeaders, service: string): TextResponse =>
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
