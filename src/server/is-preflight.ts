import type { IncomingMessage } from 'node:http'

/** True for the request by which a browser asks whether a page may send another one. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
