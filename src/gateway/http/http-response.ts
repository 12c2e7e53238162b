import type { ServerResponse } from 'node:http'
import { isBodiless, textResponse, type TextResponse } from '../../server/text-response.js'

/** A complete HTTP response of a gateway. Its body is a text or bytes. */
export interface HttpResponse extends Omit<TextResponse, 'body'> {
  readonly body: string | Uint8Array
}

export const notFound: HttpResponse = textResponse(404, 'Not Found')

export const methodNotAllowed: HttpResponse = textResponse(405, 'Method Not Allowed', { Allow: 'GET' })

/**
 * Headers of every response. Prices are never answered from a cache, and a page of another origin cannot embed a
 * response, also without CORS.
 */
const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Writes a response. Has no effect if the consumer has left. */
export const writeResponse = (to: ServerResponse, { status, headers, body }: HttpResponse): void => {
  if (to.destroyed || to.headersSent) return
  to.writeHead(status, {
    ...commonHeaders,
    ...headers,
    ...(isBodiless(status) ? {} : { 'Content-Length': Buffer.byteLength(body) }),
  })
  if (isBodiless(status)) to.end()
  else to.end(body)
}
