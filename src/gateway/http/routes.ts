import { completedTask, type CancellableTask } from '../../task/cancellable-task.js'
import { methodNotAllowed, notFound, textResponse, type HttpResponse } from '../../server/http-response.js'
import { depthMintOf, priceTopicOf } from '../../server/request.js'
import type { Relay } from '../relay/relay.js'
import type { Requester } from '../relay/request-queue.js'
import { healthOf, type HealthState } from './health.js'
import { isValidSignature, type SignatureConfig, type SignedRequest } from './verify-signature.js'

/** The response for a GET request of a path without its query; `undefined` if the path has no page. */
export type Pages = (path: string) => HttpResponse | undefined

export interface RoutesConfig {
  readonly depth: Relay
  readonly price: Relay
  readonly health: () => HealthState
  /** `undefined` if depth requests need no signature. */
  readonly signatures: SignatureConfig | undefined
  readonly pages: Pages
  /** In ms since the Unix epoch. */
  readonly now: () => number
}

export interface ReceivedRequest extends SignedRequest {
  readonly method: string
  readonly requester: Requester
}

export type Route = (request: ReceivedRequest) => CancellableTask<HttpResponse>

/** Selects the response by the path. A path is neither decoded nor normalised: what differs from a route is not found. */
export const createRoute =
  ({ depth, price, health, signatures, pages, now }: RoutesConfig): Route =>
  (request) => {
    const [path = ''] = request.path.split('?')
    const mint = depthMintOf(path)
    const topic = priceTopicOf(path)
    const page = healthOf(path, health) ?? pages(path)
    if (mint === undefined && topic === undefined && page === undefined) return completedTask(notFound)
    if (request.method !== 'GET') return completedTask(methodNotAllowed)
    if (page !== undefined) return completedTask(page)
    if (topic !== undefined) return price.respond(topic, request.requester)
    if (mint === undefined) return completedTask(notFound)
    const isAuthorized = signatures === undefined || isValidSignature(request, signatures, now())
    return isAuthorized ? depth.respond(mint, request.requester) : completedTask(unauthorized)
  }

/** The service's text (section 7 of the service's documentation). */
const unauthorized = textResponse(401, 'Unauthorized')
