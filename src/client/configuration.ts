import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeKey } from '../auth/key.js'
import { concatenateHeaders } from '../auth/canonical-headers.js'
import { createSigner, type Signer } from '../auth/signed-headers.js'
import { Secrets } from '../auth/secrets.js'
import { endpointOf, type Endpoint } from '../domain/endpoint.js'
import { chainIds, type ChainId } from '../domain/environment.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { checkNames, checkShapes, checkOption, numbersOf } from '../option-kinds/check-options.js'
import { parseCertificates } from '../platform/certificates.js'
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
  /** `undefined` unless the options allow depth: mainnet, with `baseUrl` and `authKey`. */
  readonly depth: { readonly relayer: Endpoint; readonly sign: Signer } | undefined
  /** Redacted from every error. */
  readonly secrets: Secrets
  readonly limits: Limits
  readonly reconnect: ReconnectPolicy
  readonly ca: string | undefined
  readonly signal: AbortSignal | undefined
  readonly webSocket: WebSocketTransport | undefined
  readonly http: HttpTransport | undefined
}

type UrlName = 'priceBaseUrl' | 'baseUrl' | 'priceWsUrl'

/** Throws a `ConfigurationError` that names the first invalid option. */
export const configure = (options: ClientOptions): Configuration => {
  checkShapes(options, clientTable)
  checkNames(options, clientTable)
  const { environment, baseUrl, authKey, allowInsecure = clientTable.allowInsecure.default } = options
  const { service = clientTable.service.default } = options
  checkOption('environment', environment, clientTable.environment)
  checkOption('service', service, clientTable.service)
  const secure = authKey !== undefined && !allowInsecure
  const secrets = new Secrets()
  const url = (name: UrlName, value: unknown) => {
    const parsed = parseUrl(name, value, clientTable[name].schemes, secure)
    secrets.addUrl(parsed)
    return parsed
  }
  const prices = url('priceBaseUrl', options.priceBaseUrl)
  const { priceWsUrl = defaultPriceWsUrl(prices) } = options
  const relayer = baseUrl === undefined ? undefined : url('baseUrl', baseUrl)
  const sign = authKey === undefined ? undefined : createSignerFrom(options, service, authKey, secrets)
  const hasDepth = environment === 'mainnet' && relayer !== undefined && sign !== undefined
  return {
    chainId: chainIds[environment],
    service,
    prices: endpointOf(prices),
    priceWsUrl: url('priceWsUrl', priceWsUrl).href,
    depth: hasDepth ? { relayer: endpointOf(relayer), sign } : undefined,
    secrets,
    limits: checkLimits(options),
    reconnect: numbersOf(options.reconnect ?? {}, reconnectTable, 'reconnect.'),
    ca: options.ca === undefined ? undefined : parseCertificates('ca', options.ca),
    signal: options.signal,
    webSocket: options.webSocket,
    http: options.http,
  }
}

const createSignerFrom = (
  options: ClientOptions,
  service: string,
  authKey: string,
  secrets: Secrets,
): Signer => {
  const key = decodeKey(authKey)
  if (isLeft(key)) throw key.left
  const sign = createSigner(service, key.right, options.canonicalHeaders ?? concatenateHeaders, secrets)
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
