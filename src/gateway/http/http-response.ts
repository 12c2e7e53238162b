import type { ServerResponse } from 'node:http'

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export const textResponse = (
  status: number,
  body: string,
  headers: HttpResponse['headers'] = {},
): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...headers },
  body,
})

export const jsonResponse = (status: number, body: string): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body,
})

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
  const isBodiless = status === 204 || status === 304
  to.writeHead(status, {
    ...commonHeaders,
    ...headers,
    ...(isBodiless ? {} : { 'Content-Length': Buffer.byteLength(body) }),
  })
  if (isBodiless) to.end()
  else to.end(body)
}
