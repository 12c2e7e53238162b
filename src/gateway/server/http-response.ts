import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export interface HttpResponse<Body extends string | Uint8Array = string | Uint8Array> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

export type TextResponse = HttpResponse<string>

export const textResponse = (
  status: number,
  body: string,
  headers: TextResponse['headers'] = {},
): TextResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain', ...headers },
  body,
})

export const jsonResponse = (status: number, body: string): TextResponse =>
  textResponse(status, body, { 'Content-Type': 'application/json' })

export const notFound = textResponse(404, 'Not Found')

const allow = { Allow: 'GET, HEAD, OPTIONS' }

/** The response for a method other than GET, HEAD, whose body Node omits, and OPTIONS, of a path that has a page. */
export const otherMethodResponse = (method: string | undefined): TextResponse | undefined =>
  method === 'GET' || method === 'HEAD' ? undefined : textResponse(405, 'Method Not Allowed', allow)

/** Load balancers ask for the health by OPTIONS too: a page that reports a failure has its status here. */
export const optionsResponse = (page: TextResponse | undefined): TextResponse =>
  page === undefined || page.status === 200
    ? { status: 204, headers: allow, body: '' }
    : { ...page, headers: { ...page.headers, ...allow } }

/** Writes a response. Has no effect if the peer has left. */
export const writeResponse = (to: ServerResponse, { status, headers, body }: HttpResponse): void => {
  if (to.destroyed || to.headersSent) return
  if (isBodiless(status)) to.writeHead(status, headers).end()
  else to.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

const isBodiless = (status: number): boolean => status === 204 || status === 304

/** Answers an upgrade request with a status and a text of one line, and closes the socket. Default: the status's own text. */
export const refuseUpgrade = (
  socket: Duplex,
  status: number,
  body: string = STATUS_CODES[status] ?? 'Unknown',
): void => {
  socket.on('error', () => undefined)
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** True for a preflight request: a browser sends it before a request of a page to another origin. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

/** Allows pages of an origin to read a response, and these headers of it. */
export const allowOrigin = (response: ServerResponse, origin: string, exposedHeaders: string): void => {
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders)
}

/** The response to a preflight request. Allows GET with these request headers. `others`: further headers of the response. */
export const preflightResponse = (
  allowedHeaders: string,
  others: TextResponse['headers'] = {},
): TextResponse => ({
  status: 204,
  headers: {
    'Access-Control-Allow-Methods': 'GET',
    'Access-Control-Allow-Headers': allowedHeaders,
    'Access-Control-Allow-Private-Network': 'true',
    ...others,
  },
  body: '',
})
