import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isLoopback } from '../../base/domain/endpoint.js'
import { textResponse, type TextResponse } from '../server/http-response.js'
import { withoutQuery } from '../server/request.js'
import type { GatewayAccess } from '../options.js'
import { urlHost } from './addresses.js'

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The tokens that give access to a gateway. */
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

/**
 * The checks of a request, or an upgrade, whose Host and Origin have access. Right: the digest of its token, if it needs one.
 * Left: the refusal.
 */
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

/** The secrets in a request: that of the header, and those of the query, because browsers give a WebSocket no headers. */
const secretsOf = ({ url = '', headers }: IncomingMessage): readonly string[] => {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  const query = new URLSearchParams(url.slice(withoutQuery(url).length))
  return [...(bearer === undefined ? [] : [bearer]), ...query.getAll('access_token')]
}

/** True for a request that needs no token: health, of a program on this machine. */
const isOpenToAll = ({ url = '', socket }: IncomingMessage): boolean =>
  /^\/health(?:\/|$)/.test(withoutQuery(url)) && isLoopbackPeer(socket.remoteAddress ?? '')

const isLoopbackPeer = (address: string): boolean =>
  isLoopback(urlHost(address.replace(/^::ffff:(?=\d+\.)/i, '')))
