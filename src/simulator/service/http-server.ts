import {
  createServer,
  STATUS_CODES,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHmac } from 'node:crypto'
import type { Address } from '../../base/domain/topic.js'
import {
  allowOrigin,
  isPreflight,
  jsonResponse,
  notFound,
  preflightResponse,
  textResponse,
  writeResponse,
  type TextResponse,
} from '../../gateway/server/http-response.js'
import { resourceOf, withoutQuery } from '../../gateway/server/request.js'
import type { BodyFault, HttpFaults } from '../faults/faults.js'
import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { toTokens } from '../market/market.js'
import type { Listing } from '../market/listings.js'
import {
  baseOfTopic,
  invalidTupleText,
  unauthorizedText,
  unsupportedMintText,
  unsupportedTopicText,
} from './protocol.js'
import type { ServiceContext } from './service-context.js'

/** HTTP server of the relayer API and of the price reporter (sections 4.1 and 4.2 of the service's documentation). */
export const createHttpServer = (context: ServiceContext): Server =>
  createServer((request, response) => {
    const closed = new AbortController()
    response.once('close', () => closed.abort())
    if (context.cors) allowOrigin(response, '*', '*')
    if (context.cors && isPreflight(request)) {
      writeResponse(response, preflightResponse(request.headers['access-control-request-headers'] ?? ''))
      return
    }
    const { method = '', url: path = '', headers } = request
    context.requests.add({ method, path, headers })
    respond(context, request, response, closed.signal).catch((error: unknown) => {
      // A client that disconnects early is not an error. An exception from a market must surface.
      if (!closed.signal.aborted) throw error
    })
  })

const respond = async (
  context: ServiceContext,
  request: IncomingMessage,
  response: ServerResponse,
  closed: AbortSignal,
): Promise<void> => {
  const body = await buffer(request).catch(() => undefined)
  if (body === undefined) return
  await context.faults.whenNotStalled()
  const { current: faults } = context.faults
  const result = injectedResponse(faults) ?? route(context, request, body)
  if (faults.httpDelay !== undefined) await sleep(faults.httpDelay, undefined, { signal: closed })
  if (faults.clockOffset !== undefined) response.setHeader('Date', new Date(context.now()).toUTCString())
  if (result.status === 200 && faults.body === 'cut-off') writeHalf(response, result)
  else writeResponse(response, withBodyFault(result, faults.body))
}

const route = (
  context: ServiceContext,
  { method, url: path = '', headers }: IncomingMessage,
  body: Uint8Array,
): TextResponse => {
  const resource = resourceOf(withoutQuery(path))
  if (resource === undefined) return notFound
  if (method !== 'GET') return textResponse(405, 'Method Not Allowed', { Allow: 'GET' })
  switch (resource.kind) {
    case 'depth':
      return depthResponse(context, resource.name, { path, headers, body })
    case 'price':
      return priceResponse(context, resource.name)
  }
}

/** Answers GET /v0/order_book/depth/{mint} (section 4.1 of the service's documentation). */
const depthResponse = (context: ServiceContext, mint: string, request: SignedRequest): TextResponse => {
  const { name, key, listings, faults } = context
  const now = context.now()
  if (!isValidSignature(request, { key, name, now })) return textResponse(401, unauthorizedText)
  const base = mint.toLowerCase()
  const listing = listings.find(base as Address)
  if (listing === undefined) return textResponse(500, unsupportedMintText(base))
  return jsonResponse(200, depthBody(listing, now, faults.current.quantitiesAsText === true))
}

/** JSON text of a depth. Quantities are integers of any size, which `JSON.stringify` cannot write. */
const depthBody = ({ token, quote }: Listing, timestamp: number, quantitiesAsText: boolean): string => {
  const sideOf = (units: bigint) => {
    const quantity = quantitiesAsText ? `"${units}"` : String(units)
    const usd = toTokens(units, token.decimals) * quote.price
    return `{"total_quantity":${quantity},"total_quantity_usd":${plainDecimal(usd)}}`
  }
  const [buy, sell] = [sideOf(quote.buy), sideOf(quote.sell)]
  return `{"price":${plainDecimal(quote.price)},"timestamp":${timestamp},"buy":${buy},"sell":${sell}}`
}

/** Answers GET /price/{topic} (section 4.2 of the service's documentation). */
const priceResponse = ({ name, listings, faults }: ServiceContext, topic: string): TextResponse => {
  const base = baseOfTopic(topic, name)
  if (base === undefined) return textResponse(500, invalidTupleText)
  const listing = listings.find(base)
  if (listing !== undefined) return textResponse(200, plainDecimal(listing.quote.price))
  return textResponse(
    500,
    faults.current.namelessErrors === true ? invalidTupleText : unsupportedTopicText(name, base),
  )
}

/** The response that `httpStatus` or `redirect` puts in place of the regular one; `undefined` without these faults. */
const injectedResponse = ({ httpStatus, redirect, retryAfter }: HttpFaults): TextResponse | undefined => {
  const status = httpStatus ?? (redirect === undefined ? undefined : 302)
  if (status === undefined) return undefined
  return textResponse(status, STATUS_CODES[status] ?? 'Unknown', {
    ...(redirect === undefined ? {} : { Location: new URL(redirect).href }),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  })
}

/** Applies a fault of the body of a 200 response. `writeHalf` applies `cut-off`. */
const withBodyFault = (response: TextResponse, fault: BodyFault | undefined): TextResponse => {
  const { status, headers, body } = response
  if (status !== 200) return response
  if (fault === 'oversized') return { ...response, body: body + ' '.repeat(2 * 1024 * 1024) }
  if (fault === 'html') return { ...response, headers: { 'Content-Type': 'text/html' }, body: gatewayPage }
  return fault === 'truncated' && headers['Content-Type'] === 'application/json'
    ? { ...response, body: body.slice(0, body.length / 2) }
    : response
}

const gatewayPage = '<html><body><h1>Bad gateway</h1></body></html>'

/** Announces the whole body, writes half of it and closes the connection. */
const writeHalf = (to: ServerResponse, { status, headers, body }: TextResponse): void => {
  to.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  to.write(body.slice(0, body.length / 2), () => to.destroy())
}

/** The parts of a request that its signature covers. */
export interface SignedRequest {
  /** Path and query, byte for byte as received. */
  readonly path: string
  /** Keyed by lower-case name. */
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

/**
 * True if the request is signed with the key and has not expired (section 5 of the service's documentation). Written
 * from the documentation, independently of the client's signing, so that each implementation tests the other.
 */
export const isValidSignature = (
  request: SignedRequest,
  { key, name, now }: Pick<ServiceContext, 'key' | 'name'> & { readonly now: number },
): boolean => {
  const prefix = `x-${name.toLowerCase()}-`
  const expiration = request.headers[`${prefix}auth-expiration`]
  const signature = request.headers[`${prefix}auth`]
  if (typeof expiration !== 'string' || typeof signature !== 'string') return false
  if (!/^\d{1,16}$/.test(expiration) || Number(expiration) <= now) return false
  const mac = createHmac('sha256', key).update(request.path, 'latin1')
  for (const name of Object.keys(request.headers).sort()) {
    if (!name.startsWith(prefix) || name === `${prefix}auth`) continue
    mac.update(name, 'latin1').update(String(request.headers[name]), 'latin1')
  }
  const digest = mac.update(request.body).digest('base64')
  return signature === digest.replace(/=+$/, '')
}
