import { isLeft } from 'fp-ts/lib/Either.js'
import { parseHeaders } from '../auth/additional-headers.js'
import { decodeKey } from '../auth/key.js'
import { concatenateHeaders } from '../auth/mac.js'
import { createSigner, type Signer, type SignerConfig } from '../auth/sign-request.js'
import { Secrets } from '../auth/secrets.js'
import { endpointOf, type Endpoint } from '../domain/endpoint.js'
import { chainIds, type ChainId } from '../domain/environment.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { checkNames, checkShapes, checkOption, numbersOf } from '../option-kinds/check-options.js'
import type { Platform } from '../platform/platform.js'
import type { ReconnectPolicy } from '../socket/reconnecting.js'
import type { HttpTransport, WebSocketTransport } from '../transport/ports.js'
import { clientTable, limitTable, reconnectTable, type Limits } from './option-table.js'
import type { ClientOptions } from './options.js'
import { parseUrl } from './parse-url.js'

/** Options that are checked and completed by their defaults. */
export interface Configuration {
  readonly chainId: ChainId
  readonly service: string
  readonly prices: Endpoint
  readonly priceWsUrl: string
  /** `undefined` unless the options allow depth: mainnet, with `baseUrl`, and `authKey` or `unsigned`. */
  readonly depth: RelayerAccess | undefined
  /** Redacted from every error. */
  readonly secrets: Secrets
  readonly limits: Limits
  readonly reconnect: ReconnectPolicy
  readonly ca: string | undefined
  readonly signal: AbortSignal | undefined
  readonly webSocket: WebSocketTransport | undefined
  readonly http: HttpTransport | undefined
}

interface RelayerAccess {
  readonly relayer: Endpoint
  readonly headers: Readonly<Record<string, string>>
  /** `undefined`: requests are not signed. */
  readonly sign: Signer | undefined
}

type UrlName = 'priceBaseUrl' | 'baseUrl' | 'priceWsUrl'

/** Throws a `ConfigurationError` that names the first invalid option. */
export const configure = (
  options: ClientOptions,
  { createMac, parseCertificates, isPublic }: Platform,
): Configuration => {
  checkShapes(options, clientTable)
  checkNames(options, clientTable)
  const { environment, baseUrl, authKey, allowInsecure = clientTable.allowInsecure.default } = options
  const { service = clientTable.service.default, unsigned = clientTable.unsigned.default } = options
  checkOption('environment', environment, clientTable.environment)
  checkOption('service', service, clientTable.service)
  if (unsigned === true && authKey !== undefined) {
    throw new ConfigurationError('unsigned', 'cannot be combined with authKey; omit one of them')
  }
  const { allowBrowserKey = clientTable.allowBrowserKey.default } = options
  if (isPublic && authKey !== undefined && !allowBrowserKey) {
    throw new ConfigurationError(
      'authKey',
      'is public in a browser; use a gateway with unsigned: true, or set allowBrowserKey: true',
    )
  }
  const headers = parseHeaders(options.headers ?? {}, service)
  const secrets = new Secrets()
  for (const value of Object.values(headers)) secrets.addHeader(value)
  const url = (name: UrlName, value: unknown) => {
    // The headers are sent to the relayer alone.
    const hasSecret = authKey !== undefined || (name === 'baseUrl' && Object.keys(headers).length > 0)
    const parsed = parseUrl(name, value, clientTable[name].schemes, hasSecret && !allowInsecure)
    secrets.addUrl(parsed)
    return parsed
  }
  const prices = url('priceBaseUrl', options.priceBaseUrl)
  const { priceWsUrl = defaultPriceWsUrl(prices) } = options
  const relayer = baseUrl === undefined ? undefined : url('baseUrl', baseUrl)
  const sign =
    authKey === undefined
      ? undefined
      : createCheckedSigner(authKey, {
          service,
          createMac,
          headers,
          secrets,
          canonicalHeaders: options.canonicalHeaders ?? concatenateHeaders,
        })
  const hasDepth =
    environment === 'mainnet' && relayer !== undefined && (unsigned === true || sign !== undefined)
  return {
    chainId: chainIds[environment],
    service,
    prices: endpointOf(prices),
    priceWsUrl: url('priceWsUrl', priceWsUrl).href,
    depth: hasDepth ? { relayer: endpointOf(relayer), headers, sign } : undefined,
    secrets,
    limits: checkLimits(options),
    reconnect: numbersOf(options.reconnect ?? {}, reconnectTable, 'reconnect.'),
    ca: options.ca === undefined ? undefined : parseCertificates('ca', options.ca),
    signal: options.signal,
    webSocket: options.webSocket,
    http: options.http,
  }
}

const createCheckedSigner = (authKey: string, config: Omit<SignerConfig, 'key'>): Signer => {
  const key = decodeKey(authKey)
  if (isLeft(key)) throw key.left
  const sign = createSigner({ ...config, key: key.right })
  try {
    sign('/', 0)
  } catch {
    throw new ConfigurationError('canonicalHeaders', 'expected a function that returns bytes or a string')
  }
  return sign
}

/** The default of `priceWsUrl`: port 4000 on the host of `priceBaseUrl`. */
const defaultPriceWsUrl = (prices: URL): string => {
  const url = new URL(prices)
  url.protocol = prices.protocol === 'https:' ? 'wss:' : 'ws:'
  url.port = '4000'
  return url.href
}

const checkLimits = (options: ClientOptions): Limits => {
  const checked = numbersOf(options, limitTable)
  if (options.pongTimeout === undefined) {
    return { ...checked, pongTimeout: Math.min(checked.pongTimeout, checked.pingInterval) }
  }
  if (checked.pongTimeout > checked.pingInterval) {
    throw new ConfigurationError('pongTimeout', 'expected at most pingInterval')
  }
  return checked
}
