import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { parseUrl } from '../../client/configuration.js'
import { clientTable, type ClientOptions } from '../../client/options.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { flagErrorText } from './flag-error.js'

export interface GatewayAccess {
  /** The address of the gateway. Its path and query are preserved. */
  readonly gateway: string
  /** Signs depth requests; without it, they are sent unsigned. */
  readonly authKey: string | undefined
  readonly needsDepth: boolean
  readonly allowInsecure: boolean
}

/** The client options of a gateway: HTTP and WebSocket share its address. Left: the message for an invalid address. */
export const gatewayClientOptions = (
  access: GatewayAccess,
): Either<string, Omit<ClientOptions, 'environment'>> => {
  const { gateway, authKey, needsDepth, allowInsecure } = access
  const isSigned = needsDepth && authKey !== undefined
  try {
    const url = parseUrl('gateway', gateway, clientTable.baseUrl.schemes, isSigned && !allowInsecure)
    const prices = { priceBaseUrl: gateway, priceWsUrl: socketUrl(url) }
    if (!needsDepth) return right(prices)
    return right({ ...prices, baseUrl: gateway, ...(isSigned ? { authKey } : { unsigned: true }) })
  } catch (error) {
    if (error instanceof ConfigurationError) return left(flagErrorText(error))
    throw error
  }
}

const socketUrl = (gateway: URL): string => {
  const url = new URL(gateway)
  url.protocol = gateway.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}
