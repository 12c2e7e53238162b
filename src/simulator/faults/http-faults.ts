import { STATUS_CODES } from 'node:http'
import { textResponse, type TextResponse } from '../../server/text-response.js'
import type { BodyFault, HttpFaults } from './faults.js'

/** The response that `httpStatus` or `redirect` puts in place of the regular one; `undefined` without these faults. */
export const injectedResponse = ({
  httpStatus,
  redirect,
  retryAfter,
}: HttpFaults): TextResponse | undefined => {
  const status = httpStatus ?? (redirect === undefined ? undefined : 302)
  if (status === undefined) return undefined
  return textResponse(status, STATUS_CODES[status] ?? 'Unknown', {
    ...(redirect === undefined ? {} : { Location: new URL(redirect).href }),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  })
}

const oversizePadding = ' '.repeat(2 * 1024 * 1024)
const gatewayPage = '<html><body><h1>Bad gateway</h1></body></html>'

const applyByFault: Readonly<Record<BodyFault, (response: TextResponse) => TextResponse>> = {
  truncated: (response) =>
    response.headers['Content-Type'] === 'application/json'
      ? { ...response, body: response.body.slice(0, response.body.length / 2) }
      : response,
  oversized: (response) => ({ ...response, body: response.body + oversizePadding }),
  html: (response) => ({ ...response, headers: { 'Content-Type': 'text/html' }, body: gatewayPage }),
  // The server cuts the connection while it writes the body.
  'cut-off': (response) => response,
}

/** Applies a body fault. Responses other than 200 stay unchanged. */
export const withBodyFault = (response: TextResponse, fault: BodyFault | undefined): TextResponse =>
  response.status !== 200 || fault === undefined ? response : applyByFault[fault](response)
