import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TextResponse } from './http-response.js'

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
