import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { HttpResponse } from './http-response.js'

/** Allows pages of one origin to read the response, and the headers that a client reads. */
export const allowOrigin = (response: ServerResponse, origin: string): void => {
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', 'Date, Retry-After')
}

/** Allows GET, with the requested headers of the service. */
export const preflightResponse = (headers: IncomingHttpHeaders, service: string): HttpResponse => ({
  status: 204,
  headers: {
    'Access-Control-Allow-Methods': 'GET',
    'Access-Control-Allow-Headers': serviceHeaders(headers, service).join(', '),
    'Access-Control-Allow-Private-Network': 'true',
    'Access-Control-Max-Age': '600',
    Vary: 'Origin, Access-Control-Request-Headers',
  },
  body: '',
})

const serviceHeaders = (headers: IncomingHttpHeaders, service: string): readonly string[] =>
  (headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name.startsWith(`x-${service.toLowerCase()}-`) && /^[\w-]+$/.test(name))
