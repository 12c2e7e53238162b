import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
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

  /** The digest of the token of a request, if it gives access. */
  digestOf(request: IncomingMessage): Buffer | undefined {
    return secretsOf(request)
      .map(digestOf)
      .find((digest) => this.has(digest))
  }

  /** Compares with each token, so that the duration does not depend on which one is equal. */
  has(digest: Buffer): boolean {
    return this.digests.map((each) => timingSafeEqual(each, digest)).includes(true)
  }
}

/** The secrets in a request: that of the header, and those of the query, because browsers give a WebSocket no headers. */
const secretsOf = ({ url = '', headers }: IncomingMessage): readonly string[] => {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  const query = new URLSearchParams(url.slice(withoutQuery(url).length))
  return [...(bearer === undefined ? [] : [bearer]), ...query.getAll('access_token')]
}

/** The service's text for a wrong signature, too. */
export const unauthorized: TextResponse = textResponse(401, 'Unauthorized')

/** True for a request that needs no token: health, of a program on this machine. */
export const isOpenToAll = ({ url = '', socket }: IncomingMessage): boolean =>
  /^\/health(?:\/|$)/.test(withoutQuery(url)) && isLoopbackPeer(socket.remoteAddress ?? '')

const isLoopbackPeer = (address: string): boolean =>
  isLoopback(urlHost(address.replace(/^::ffff:(?=\d+\.)/i, '')))
