import { isLeft } from 'fp-ts/lib/Either.js'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroupOf } from '../server/address-group.js'
import type { RequestHandler } from '../server/consumer-input.js'
import {
  allowOrigin,
  isPreflight,
  jsonResponse,
  notFound,
  optionsResponse,
  otherMethodResponse,
  preflightResponse,
  type HttpResponse,
  type TextResponse,
} from '../server/http-response.js'
import { resourceOf, withoutQuery } from '../server/request.js'
import type { CancellableTask } from '../../base/task/cancellable-task.js'
import {
  checkAccess,
  signingKeyOf,
  tokenOf,
  unauthorized,
  type AccessConfig,
  type AccessTokens,
  type SignatureConfig,
} from './access.js'
import { isHistoryPath, noHistory, type RespondHistory } from '../history/history-responses.js'
import type { Requester } from '../coalescing/turns.js'
import type { Relays } from '../coalescing/relays.js'
import type { GatewayTokens } from '../options.js'
import { healthOf, type HealthState } from './health.js'
import { writeGatewayResponse } from './http-server.js'

/** The response for a GET request of a path without its query, or its task; `undefined` if the path has no page. */
export type Pages = (path: string) => HttpResponse | CancellableTask<HttpResponse> | undefined

export interface RequestHandlerConfig {
  readonly access: AccessConfig
  readonly service: string
  readonly relays: Relays
  readonly health: () => HealthState
  /** `undefined` if depth requests need no signature. */
  readonly signatures: () => SignatureConfig | undefined
  /** `undefined` if requests need no token. */
  readonly accessTokens: () => AccessTokens | undefined
  readonly tokens: GatewayTokens
  readonly pages: Pages
  /** `undefined` if the gateway has no history. */
  readonly history: RespondHistory | undefined
  /** In ms since the Unix epoch. */
  readonly now: () => number
}

export const createRequestHandler =
  (config: RequestHandlerConfig): RequestHandler =>
  (request, response, whileConnected) => {
    const { access, service, accessTokens, history } = config
    const { url = '', headers, method, socket } = request
    const allowed = checkAccess(request, access)
    response.setHeader('Vary', 'Origin')
    if (isLeft(allowed)) return refuse(response, allowed.left)
    if (allowed.right !== undefined) {
      allowOrigin(response, allowed.right, exposedHeaders)
      if (isPreflight(request))
        return writeGatewayResponse(response, pagePreflightResponse(headers, service, accessTokens()))
    }
    const token = tokenOf(request, accessTokens())
    if (isLeft(token)) return refuse(response, token.left)
    const owner = token.right === undefined ? undefined : `token ${token.right.toString('base64')}`
    const isOfHistory = otherMethodResponse(method) === undefined && isHistoryPath(withoutQuery(url))
    if (history !== undefined && isOfHistory) return history(request, response, requesterOf(socket, owner))
    const answer = route(config, request, owner)
    if (typeof answer !== 'function') return writeGatewayResponse(response, answer)
    const cancel = answer((result) => writeGatewayResponse(response, result))
    whileConnected.add(cancel)
    response.once('close', () => {
      whileConnected.remove(cancel)
      cancel()
    })
  }

/** Selects the response by the path, which is neither decoded nor normalised. */
const route = (
  { relays, health, signatures, tokens, pages, now }: RequestHandlerConfig,
  request: IncomingMessage,
  owner: string | undefined,
): HttpResponse | CancellableTask<HttpResponse> => {
  const { method, url = '', socket } = request
  const path = withoutQuery(url)
  const ofHealth = healthOf(path, health)
  if (method === 'OPTIONS') return optionsResponse(ofHealth)
  const page =
    ofHealth ?? tokensOf(path, tokens) ?? pages(path) ?? (isHistoryPath(path) ? noHistory : undefined)
  const resource = page === undefined ? resourceOf(path) : undefined
  if (page === undefined && resource === undefined) return notFound
  const other = otherMethodResponse(method)
  if (other !== undefined) return other
  if (resource === undefined) return page ?? notFound
  const accepted = signatures()
  if (resource.kind === 'price' || accepted === undefined)
    return relays.respond(resource, requesterOf(socket, owner))
  const key = signingKeyOf(request, accepted, now())
  return key === undefined ? unauthorized : relays.respond(resource, requesterOf(socket, `key ${key}`))
}

/** The tokens as JSON that `defineTokens` and `--tokens` read; `undefined` for other paths. */
const tokensOf = (path: string, tokens: GatewayTokens): TextResponse | undefined => {
  if (path !== '/tokens') return undefined
  const all = Object.entries(tokens).map(([symbol, { address, decimals }]) => [symbol, { address, decimals }])
  return jsonResponse(200, JSON.stringify(Object.fromEntries(all)))
}

/** Each connection is one consumer: a proxy has many. A key or an access token shows the program that it is of. */
const requesterOf = (socket: Socket, owner?: string): Requester => ({
  consumer: socket,
  group: owner ?? addressGroupOf(socket.remoteAddress ?? ''),
})

/** Answers a request whose body may be unread, and closes the connection. */
const refuse = (response: ServerResponse, refusal: HttpResponse): void => {
  writeGatewayResponse(response, { ...refusal, headers: { ...refusal.headers, Connection: 'close' } })
}

/** The headers of a response that a client reads. */
const exposedHeaders = 'Date, Retry-After'

/** Allows GET, with the requested headers of the service, and that of an access token. */
const pagePreflightResponse = (
  headers: IncomingHttpHeaders,
  service: string,
  tokens: AccessTokens | undefined,
): TextResponse => {
  const requested = (headers['access-control-request-headers'] ?? '').toLowerCase().split(',')
  const names = requested.map((name) => name.trim())
  const allowed = names.filter(
    (name) =>
      (name.startsWith(`x-${service.toLowerCase()}-`) && /^[\w-]+$/.test(name)) ||
      (tokens !== undefined && name === 'authorization'),
  )
  return preflightResponse(allowed.join(', '), {
    'Access-Control-Max-Age': '600',
    Vary: 'Origin, Access-Control-Request-Headers',
  })
}
