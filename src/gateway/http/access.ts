import { left, right, type Either } from 'fp-ts/lib/Either.js'
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
interface AccessHeaders {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

/**
 * Decides whether a request may be answered. Right: the origin of the page that may read the response; `undefined` if no
 * other page may. Left: the reason of the refusal, in one line, without a value from the request.
 *
 * A page of another site can send requests to the gateway, also under a name
 * of its own that it resolves to the gateway's address (DNS rebinding). Such a request has that name as `Host`, or the
 * page's `Origin`.
 */
export const checkAccess = (
  { host: hostHeader = '', origin }: AccessHeaders,
  { scheme, host: listensOn, origins }: AccessConfig,
): Either<string, string | undefined> => {
  const host = hostOf(hostHeader)
  const ownHost = urlHost(listensOn)
  if (isLoopback(ownHost) && (host === undefined || !isLoopback(host))) {
    return left('Forbidden: the Host is not a loopback address')
  }
  if (origin === undefined || origins.has(origin)) return right(origin)
  const isTrustedName = host !== undefined && (isIpLiteral(host) || host === 'localhost' || host === ownHost)
  const isOwn = isTrustedName && origin === originOf(scheme, hostHeader)
  return isOwn ? right(undefined) : left('Forbidden: the Origin has no access')
}

/** The origin of the gateway's pages under this Host, as browsers write it: without the default port. */
const originOf = (scheme: string, hostHeader: string): string | undefined => {
  const url = `${scheme}://${hostHeader}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}
