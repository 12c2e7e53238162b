import { isLoopback } from '../../domain/endpoint.js'
import { hostOf, isIpLiteral, urlHost } from './addresses.js'

export interface AccessConfig {
  readonly scheme: 'http' | 'https'
  /** The address that the gateway listens on. */
  readonly host: string
  /** Origins of pages with access, beside those of the gateway's own pages. */
  readonly origins: ReadonlySet<string>
}

/** The headers of a request that decide about its access. */
export interface AccessHeaders {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

export type Access = AllowedAccess | RefusedAccess

export interface AllowedAccess {
  readonly isAllowed: true
  /** The origin of the page that may read the response; `undefined` if no other page may. */
  readonly sharedWith: string | undefined
}

interface RefusedAccess {
  readonly isAllowed: false
  /** One line, without a value from the request. */
  readonly reason: string
}

/**
 * Decides whether a request may be answered. A page of another site can send requests to the gateway, also under a name
 * of its own that it resolves to the gateway's address (DNS rebinding). Such a request has that name as `Host`, or the
 * page's `Origin`.
 */
export const checkAccess = (
  { host: hostHeader = '', origin }: AccessHeaders,
  { scheme, host: listensOn, origins }: AccessConfig,
): Access => {
  const host = hostOf(hostHeader)
  const ownHost = urlHost(listensOn)
  if (isLoopback(ownHost) && (host === undefined || !isLoopback(host))) return refusedHost
  if (origin === undefined) return { isAllowed: true, sharedWith: undefined }
  if (origins.has(origin)) return { isAllowed: true, sharedWith: origin }
  const isTrustedName = host !== undefined && (isIpLiteral(host) || host === 'localhost' || host === ownHost)
  const isOwn = isTrustedName && origin === originOf(scheme, hostHeader)
  return isOwn ? { isAllowed: true, sharedWith: undefined } : refusedOrigin
}

const refusedHost: RefusedAccess = {
  isAllowed: false,
  reason: 'Forbidden: the Host is not a loopback address',
}

const refusedOrigin: RefusedAccess = { isAllowed: false, reason: 'Forbidden: the Origin has no access' }

/** The origin of the gateway's pages under this Host, as browsers write it: without the default port. */
const originOf = (scheme: string, hostHeader: string): string | undefined => {
  const url = `${scheme}://${hostHeader}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}
