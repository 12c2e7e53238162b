import type { ServerResponse } from 'node:http'
import { writeResponse, type HttpResponse } from '../../server/http-response.js'

/**
 * Headers of every response. Prices are never answered from a cache, and a page of another origin cannot embed a
 * response, also without CORS.
 */
const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Writes a response of a gateway. Has no effect if the consumer has left. */
export const writeGatewayResponse = (to: ServerResponse, response: HttpResponse): void =>
  writeResponse(to, { ...response, headers: { ...commonHeaders, ...response.headers } })
