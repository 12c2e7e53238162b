import { isIPv4, isIPv6 } from 'node:net'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isLoopback } from '../../domain/endpoint.js'

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

/** The addresses of a gateway, as options of a client. */
interface Addresses {
  readonly baseUrl: string
  readonly priceBaseUrl: string
  readonly priceWsUrl: string
}

/** An address that means all interfaces is not one to connect to: the URLs have the loopback address. */
const connectHosts: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const addressesOf = (host: string, port: number, isTls: boolean): Addresses => {
  const authority = `${urlHost(connectHosts[isIPv6(host) ? compressed(host) : host] ?? host)}:${port}`
  const baseUrl = `${isTls ? 'https' : 'http'}://${authority}`
  return { baseUrl, priceBaseUrl: baseUrl, priceWsUrl: `${isTls ? 'wss' : 'ws'}://${authority}` }
}

/** The shortest spelling of an IPv6 address, such as `::` for `0:0:0:0:0:0:0:0`. */
const compressed = (address: string): string => {
  const url = `http://[${address}]`
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : address
}

/** The value of a Host header without its port: a name or an IPv4 address, or an IPv6 address in brackets. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/

/** The lower-case host of a Host header; `undefined` if the value is malformed. */
const hostOf = (header: string): string | undefined => hostPattern.exec(header.toLowerCase())?.[1]

/** True for an IPv4 address, and for an IPv6 address in brackets. DNS cannot resolve it to another address. */
const isIpLiteral = (host: string): boolean =>
  isIPv4(host) || (host.startsWith('[') && host.endsWith(']') && isIPv6(host.slice(1, -1)))

/** The form of an address in a URL and in a Host header: an IPv6 address has brackets. */
export const urlHost = (address: string): string => (isIPv6(address) ? `[${address}]` : address).toLowerCase()
