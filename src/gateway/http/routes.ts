import { completedTask, type CancellableTask } from '../../task/cancellable-task.js'
import { textResponse } from '../../server/text-response.js'
import type { PriceSide } from '../prices/price-side.js'
import type { Relay } from '../relay/relay.js'
import { healthResponse } from './health.js'
import type { HttpResponse } from './http-response.js'
import { isValidSignature, type SignatureConfig, type SignedRequest } from './verify-signature.js'

/** The response for a GET request of a path without its query; `undefined` if the path has no page. */
export type Pages = (path: string) => HttpResponse | undefined

export interface RoutesConfig {
  readonly depth: Relay
  readonly price: Relay
  readonly prices: PriceSide
  /** `undefined` if depth requests need no signature. */
  readonly signatures: SignatureConfig | undefined
  readonly pages: Pages
  /** In ms since the Unix epoch. */
  readonly now: () => number
}

export interface ReceivedRequest extends SignedRequest {
  readonly method: string
}

export type Route = (request: ReceivedRequest) => CancellableTask<HttpResponse>

const depthPath = /^\/v0\/order_book\/depth\/([^/]+)$/
const pricePath = /^\/price\/([^/]+)$/

/** Selects the response by the path. A path is neither decoded nor normalised: what differs from a route is not found. */
export const createRoute =
  ({ depth, price, prices, signatures, pages, now }: RoutesConfig): Route =>
  (request) => {
    const [path = ''] = request.path.split('?')
    const mint = depthPath.exec(path)?.[1]
    const topic = pricePath.exec(path)?.[1]
    const page = pages(path)
    if (mint === undefined && topic === undefined && page === undefined && path !== '/health') {
      return completedTask(textResponse(404, 'Not Found'))
    }
    if (request.method !== 'GET') return completedTask(methodNotAllowed)
    if (page !== undefined) return completedTask(page)
    if (topic !== undefined) return price.respond(topic)
    if (mint === undefined) return completedTask(healthResponse(prices))
    const isAuthorized = signatures === undefined || isValidSignature(request, signatures, now())
    return isAuthorized ? depth.respond(mint) : completedTask(unauthorized)
  }

const methodNotAllowed = textResponse(405, 'Method Not Allowed', { Allow: 'GET' })

/** The service's text (section 7 of the service's documentation). */
const unauthorized = textResponse(401, 'Unauthorized')
