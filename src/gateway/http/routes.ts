import { completedTask, type CancellableTask } from '../../task/cancellable-task.js'
import { methodNotAllowed, notFound, textResponse, type HttpResponse } from '../../server/http-response.js'
import { resourceOf, withoutQuery } from '../../server/request.js'
import type { Relays } from '../relay/relays.js'
import type { Requester } from '../relay/request-queue.js'
import { healthOf, type HealthState } from './health.js'
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { authHeaderNames, macInput, type Mac, type MacInput } from '../../auth/mac.js'

/** The response for a GET request of a path without its query; `undefined` if the path has no page. */
export type Pages = (path: string) => HttpResponse | undefined

export interface RoutesConfig {
  readonly relays: Relays
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
  ({ relays, health, signatures, pages, now }: RoutesConfig): Route =>
  (request) => {
    const path = withoutQuery(request.path)
    const found = healthOf(path, health) ?? pages(path) ?? resourceOf(path)
    if (found === undefined) return completedTask(notFound)
    if (request.method !== 'GET') return completedTask(methodNotAllowed)
    if ('status' in found) return completedTask(found)
    const isAuthorized =
      found.kind === 'price' || signatures === undefined || isValidSignature(request, signatures, now())
    return isAuthorized ? relays.respond(found, request.requester) : completedTask(unauthorized)
  }

/** The service's text (section 7 of the service's documentation). */
const unauthorized = textResponse(401, 'Unauthorized')

/** The parts of a request that its signature covers. */
export interface SignedRequest {
  /** Path and query, byte for byte as received. */
  readonly path: string
  /** Keyed by lower-case name. */
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

interface SignatureConfig {
  readonly service: string
  /** One MAC per accepted key. */
  readonly macs: readonly Mac[]
}

/** The longest accepted distance of an expiration from now, in ms: it limits for how long a request can be replayed. */
export const maxExpirationMs = 5 * 60_000

/**
 * True if the request is signed with one of the keys and has not expired (section 5 of the service's documentation).
 * `now`: in ms since the Unix epoch.
 */
export const isValidSignature = (
  { path, headers, body }: SignedRequest,
  { service, macs }: SignatureConfig,
  now: number,
): boolean => {
  const names = authHeaderNames(service)
  const signature = headers[names.signature]
  if (typeof signature !== 'string' || !isCurrent(headers[names.expiration], now)) return false
  const input = latin1(macInput({ path, headers: textsOf(headers), body, service }))
  const received = Buffer.from(signature, 'latin1')
  // Each key is compared, so that the duration does not depend on which key matches.
  return macs.map((mac) => isEqual(received, Buffer.from(mac(input), 'latin1'))).includes(true)
}

const isCurrent = (expiration: string | readonly string[] | undefined, now: number): boolean => {
  if (typeof expiration !== 'string' || !/^\d{1,15}$/.test(expiration)) return false
  const remaining = Number(expiration) - now
  return remaining > 0 && remaining <= maxExpirationMs
}

/** Only `set-cookie`, which is not signed, has several values. */
const textsOf = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )

/** Node decodes received bytes as latin1. */
const latin1 = (input: MacInput): MacInput =>
  input.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece))

/** Compares in constant time. Only the length, which is not secret, affects the duration. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
