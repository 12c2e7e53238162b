import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPreflight } from '../../server/is-preflight.js'
import { textResponse } from '../../server/text-response.js'
import { checkAccess, type AccessConfig } from '../access/access.js'
import { allowOrigin, preflightResponse } from './cors.js'
import { writeResponse, type HttpResponse } from './http-response.js'
import { readBody } from './read-body.js'
import type { Route } from './routes.js'

export interface RequestHandlerConfig {
  readonly access: AccessConfig
  readonly service: string
  readonly route: Route
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

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
      allowOrigin(response, allowed.sharedWith)
      if (isPreflight(request)) {
        writeResponse(response, preflightResponse(headers, service))
        return
      }
    }
    // An absolute URL has a host of its own, which the access check has not seen.
    if (!path.startsWith('/')) {
      refuse(response, textResponse(400, 'Bad Request'))
      return
    }
    readBody(request, (body) => {
      if (body === undefined) {
        refuse(response, textResponse(413, 'Payload Too Large'))
        return
      }
      respond(response, () => route({ method, path, headers, body }))
    })
  }

/** Runs the route, and cancels it when the consumer leaves. */
const respond = (response: ServerResponse, start: () => ReturnType<Route>): void => {
  if (response.destroyed) return
  const cancel = start()((result) => writeResponse(response, result))
  response.once('close', cancel)
}

/** Answers a request whose body may be unread, and closes the connection. */
const refuse = (response: ServerResponse, refusal: HttpResponse): void => {
  writeResponse(response, { ...refusal, headers: { ...refusal.headers, Connection: 'close' } })
}
