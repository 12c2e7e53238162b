import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { authHeaderNames, macInput, type Mac, type MacInput } from '../../wire/auth/sign-request.js'
import { isLoopback } from '../../base/domain/endpoint.js'
import { textResponse, type TextResponse } from '../server/http-response.js'
import { withoutQuery } from '../server/request.js'
import type { GatewayAccess } from '../options.js'
import { hostOf, isIpLiteral, urlHost } from './addresses.js'

export interface AccessConfig {
  readonly scheme: 'http' | 'https'
  /** The address that the gateway listens on. */
  readonly host: string
  /** Origins of pages with access, in addition to the gateway's own pages. */
  readonly origins: ReadonlySet<string>
}

/**
 * Decides whether a request may be answered. Right: the origin of the page that may read the response; `undefined` if no
 * other page may. Left: the refusal, without a value from the request.
 *
 * A page of another site can send requests to the gateway, also through a DNS name of the site that resolves to the
 * gateway's address (DNS rebinding). Such a request has that name as `Host`, or the page's `Origin`.
 */
export const checkAccess = (
  {
    headers: { host: hostHeader, origin },
    headersDistinct,
    httpVersion,
  }: Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'httpVersion'>,
  { scheme, host: listensOn, origins }: AccessConfig,
): Either<TextResponse, string | undefined> => {
  const isMissing = hostHeader === undefined && httpVersion !== '1.0'
  if (isMissing || (headersDistinct['host']?.length ?? 0) > 1)
    return left(textResponse(400, 'Bad Request: expected one Host'))
  const host = hostOf(hostHeader ?? '')
  const ownHost = urlHost(listensOn)
  if (isLoopback(ownHost) && (host === undefined || !isLoopback(host))) {
    return left(textResponse(403, 'Forbidden: the Host is not a loopback address'))
  }
  if (origin === undefined || origins.has(origin)) return right(origin)
  const isTrustedName = host !== undefined && (isIpLiteral(host) || host === 'localhost' || host === ownHost)
  const isOwn = isTrustedName && origin === originOf(scheme, hostHeader)
  return isOwn ? right(undefined) : left(textResponse(403, 'Forbidden: the Origin has no access'))
}

/** The origin of the gateway's pages under this Host, as browsers write it: without the default port. */
const originOf = (scheme: string, hostHeader = ''): string | undefined => {
  const url = `${scheme}://${hostHeader}`
  return URL.canParse(url) ? new URL(url).origin : undefined
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

export class AccessTokens {
  private readonly digests: readonly Buffer[]

  constructor({ tokens }: GatewayAccess) {
    this.digests = Object.values(tokens).map(digestOf)
  }

  /** Compares with each token, so that the duration does not depend on which one is equal. */
  has(digest: Buffer): boolean {
    return this.digests.map((each) => timingSafeEqual(each, digest)).includes(true)
  }
}

/** The service's text for a wrong signature, too. */
export const unauthorized: TextResponse = textResponse(401, 'Unauthorized')

/** Further checks of a request or an upgrade. Right: the digest of its token, if it needs one. Left: the refusal. */
export const tokenOf = (
  request: IncomingMessage,
  tokens: AccessTokens | undefined,
): Either<TextResponse, Buffer | undefined> => {
  const { url = '', headers } = request
  // An absolute URL contains a host, which no check reads.
  if (!url.startsWith('/')) return left(textResponse(400, 'Bad Request'))
  // Requests of the service have none. Node 26 delays all frames of an upgrade until the end of its body.
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
    return left(textResponse(400, 'Bad Request: expected no body'))
  if (tokens === undefined || isOpenToAll(request)) return right(undefined)
  const digest = secretsOf(request)
    .map(digestOf)
    .find((each) => tokens.has(each))
  return digest === undefined ? left(unauthorized) : right(digest)
}

/** Further ones in a query are ignored: each is compared with each token, which must not take long. */
const maxQuerySecrets = 4

/** The secrets in a request: that of the header, and those of the query, because browsers give a WebSocket no headers. */
const secretsOf = ({ url = '', headers }: IncomingMessage): readonly string[] => {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  const query = new URLSearchParams(url.slice(withoutQuery(url).length))
  const inQuery = query.getAll('access_token').slice(0, maxQuerySecrets)
  // A secret has no space: it is a plus that was not percent-encoded, as in base64.
  return [...(bearer === undefined ? [] : [bearer]), ...inQuery.map((each) => each.replaceAll(' ', '+'))]
}

/** True for a request that needs no token: health, of a program on this machine. */
const isOpenToAll = ({ url = '', socket }: IncomingMessage): boolean =>
  /^\/health(?:\/|$)/.test(withoutQuery(url)) && isLoopbackPeer(socket.remoteAddress ?? '')

const isLoopbackPeer = (address: string): boolean =>
  isLoopback(urlHost(address.replace(/^::ffff:(?=\d+\.)/i, '')))

export interface SignatureConfig {
  readonly service: string
  /** One MAC per accepted key. */
  readonly macs: readonly Mac[]
}

/** The maximum time until an expiration, in ms: it limits the time in which a request can be replayed. */
export const maxExpirationMs = 5 * 60_000

/**
 * The index of the key that has signed the path, the query and the headers of a request; `undefined` if none has, or if the
 * signature has expired (section 5 of the service's documentation). `now`: in ms since the Unix epoch.
 */
export const signingKeyOf = (
  { url: path = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  { service, macs }: SignatureConfig,
  now: number,
): number | undefined => {
  const names = authHeaderNames(service)
  const signature = headers[names.signature]
  if (typeof signature !== 'string' || !isUnexpired(headers[names.expiration], now)) return undefined
  const input = latin1(macInput({ path, headers: textsOf(headers), service }))
  const received = Buffer.from(signature, 'latin1')
  // Each key is compared, so that the duration does not depend on which key matches.
  const index = macs.map((mac) => isEqual(received, Buffer.from(mac(input), 'latin1'))).indexOf(true)
  return index < 0 ? undefined : index
}

const isUnexpired = (expiration: string | readonly string[] | undefined, now: number): boolean => {
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
