import { isLeft } from 'fp-ts/lib/Either.js'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { addressGroupOf } from '../server/address-group.js'
import {
  allowOrigin,
  isPreflight,
  jsonResponse,
  notFound,
  optionsResponse,
  otherMethodResponse,
  preflightResponse,
  textResponse,
  type HttpResponse,
  type TextResponse,
} from '../server/http-response.js'
import { readBody, resourceOf, withoutQuery } from '../server/request.js'
import { completedTask, type CancellableTask } from '../../base/task/cancellable-task.js'
import { isOpenToAll, unauthorized, type AccessTokens } from './access-tokens.js'
import { checkAccess, signingKeyOf, type AccessConfig, type SignatureConfig } from './access.js'
import { isHistoryPath, noHistory, type RespondHistory } from '../history/history-responses.js'
import type { Requester } from '../coalescing/request-queue.js'
import type { Relays } from '../coalescing/relays.js'
import type { GatewayTokens } from '../options.js'
import { healthOf, type HealthState } from './health.js'
import { writeGatewayResponse, type RequestHandler } from './http-server.js'

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

/** In bytes. The service's requests have no body. */
const maxBodyBytes = 16 * 1024

/** Answers the requests that have access. */
export const createRequestHandler =
  (config: RequestHandlerConfig): RequestHandler =>
  (request, response) => {
    const { access, service, history } = config
    const { url: path = '', headers, method } = request
    const allowed = checkAccess(request, access)
    const tokens = config.accessTokens()
    response.setHeader('Vary', 'Origin')
    if (isLeft(allowed)) return refuse(response, allowed.left)
    if (allowed.right !== undefined) {
      allowOrigin(response, allowed.right, exposedHeaders)
      if (isPreflight(request)) {
        return writeGatewayResponse(
          response,
          gatewayPreflightResponse(headers, service, tokens !== undefined),
        )
      }
    }
    // An absolute URL contains a host, which the access check does not check.
    if (!path.startsWith('/')) return refuse(response, textResponse(400, 'Bad Request'))
    if (tokens !== undefined && !isOpenToAll(request) && tokens.digestOf(request) === undefined) {
      return refuse(response, unauthorized)
    }
    readBody(request, maxBodyBytes, (body) => {
      if (body === undefined) return refuse(response, textResponse(413, 'Payload Too Large'))
      const { socket } = request
      if (response.destroyed || socket.destroyed) return
      const isOfHistory = otherMethodResponse(method) === undefined && isHistoryPath(withoutQuery(path))
      if (history !== undefined && isOfHistory) history(request, response, requesterOf(socket, undefined))
      else respond(socket, response, route(config, request, body))
    })
  }

/**
 * Selects the response by the path. A path is neither decoded nor normalised: a path that differs from a route is not
 * found.
 */
const route = (
  { relays, health, signatures, tokens, pages, now }: RequestHandlerConfig,
  { method, url = '', headers, socket }: IncomingMessage,
  body: Uint8Array,
): CancellableTask<HttpResponse> => {
  const path = withoutQuery(url)
  const ofHistory = isHistoryPath(path) ? noHistory : undefined
  const ofHealth = healthOf(path, health)
  if (method === 'OPTIONS') return completedTask(optionsResponse(ofHealth))
  const found = ofHealth ?? tokensOf(path, tokens) ?? pages(path) ?? ofHistory ?? resourceOf(path)
  if (found === undefined) return completedTask(notFound)
  const other = otherMethodResponse(method)
  if (other !== undefined) return completedTask(other)
  if (typeof found === 'function') return found
  if ('status' in found) return completedTask(found)
  const accepted = signatures()
  const isOpen = found.kind === 'price' || accepted === undefined
  const key = isOpen ? undefined : signingKeyOf({ path: url, headers, body }, accepted, now())
  const isAuthorized = isOpen || key !== undefined
  return isAuthorized ? relays.respond(found, requesterOf(socket, key)) : completedTask(unauthorized)
}

/** The tokens as JSON that `defineTokens` and `--tokens` read; `undefined` for other paths. */
const tokensOf = (path: string, tokens: GatewayTokens): TextResponse | undefined => {
  if (path !== '/tokens') return undefined
  const all = Object.entries(tokens).map(([symbol, { address, decimals }]) => [symbol, { address, decimals }])
  return jsonResponse(200, JSON.stringify(Object.fromEntries(all)))
}

/**
 * Each connection is one consumer. An address may belong to a proxy, whose consumers must not delay each other. A key
 * shows more: a program may have many connections, and several programs one address.
 */
const requesterOf = (socket: Socket, key: number | undefined): Requester => ({
  consumer: socket,
  group: key === undefined ? addressGroupOf(socket.remoteAddress ?? '') : `key ${key}`,
})

/** The cancel functions of the requests of a connection that have no response yet. */
const cancelsOf = new WeakMap<Socket, Set<() => void>>()

/**
 * Starts a task, and cancels it when the consumer leaves: of several pipelined responses, Node then closes only the
 * first.
 */
const respond = (socket: Socket, response: ServerResponse, task: CancellableTask<HttpResponse>): void => {
  const cancels = cancelsOf.get(socket) ?? trackCancels(socket)
  const cancel = task((result) => writeGatewayResponse(response, result))
  cancels.add(cancel)
  response.once('close', () => {
    cancels.delete(cancel)
    cancel()
  })
}

const trackCancels = (socket: Socket): Set<() => void> => {
  const cancels = new Set<() => void>()
  cancelsOf.set(socket, cancels)
  socket.once('close', () => {
    for (const cancel of cancels) cancel()
  })
  return cancels
}

/** Answers a request whose body may be unread, and closes the connection. */
const refuse = (response: ServerResponse, refusal: HttpResponse): void => {
  writeGatewayResponse(response, { ...refusal, headers: { ...refusal.headers, Connection: 'close' } })
}

/** The headers of a response that a client reads. */
const exposedHeaders = 'Date, Retry-After'

/** Allows GET, with the requested headers of the service. */
const gatewayPreflightResponse = (
  headers: IncomingHttpHeaders,
  service: string,
  hasTokens: boolean,
): TextResponse =>
  preflightResponse(pageHeaders(headers, service, hasTokens).join(', '), {
    'Access-Control-Max-Age': '600',
    Vary: 'Origin, Access-Control-Request-Headers',
  })

const pageHeaders = (headers: IncomingHttpHeaders, service: string, hasTokens: boolean): readonly string[] =>
  (headers['access-control-request-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(
      (name) =>
        (name.startsWith(`x-${service.toLowerCase()}-`) && /^[\w-]+$/.test(name)) ||
        (hasTokens && name === 'authorization'),
    )
