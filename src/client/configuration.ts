import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeKey } from '../auth/key.js'
import { concatenateHeaders } from '../auth/signed-headers.js'
import { createSigner, type Signer } from '../auth/signer.js'
import { endpointOf, type Endpoint } from '../domain/endpoint.js'
import { chainIds, isEnvironment, type ChainId } from '../domain/environment.js'
import { defaultService } from '../domain/topic.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { parseCertificates } from '../platform/certificates.js'
import type { ReconnectPolicy } from '../socket/reconnecting.js'
import type { HttpTransport, WebSocketTransport } from '../transport/ports.js'
import type { ClientOptions, ReconnectOptions } from './options.js'
import { parseUrl } from './parse-url.js'

/** Options, checked and completed. */
export interface Configuration {
  readonly chainId: ChainId
  readonly service: string
  readonly prices: Endpoint
  readonly priceWsUrl: string
  /** Where depth comes from; `undefined` where the options do not allow for it. */
  readonly depth: { readonly relayer: Endpoint; readonly sign: Signer } | undefined
  readonly limits: Limits
  readonly reconnect: ReconnectPolicy
  readonly ca: string | undefined
  readonly signal: AbortSignal | undefined
  readonly webSocket: WebSocketTransport | undefined
  readonly http: HttpTransport | undefined
}

/** The options that are plain numbers, in the units of their doc comments. */
export type Limits = Readonly<Record<keyof typeof limits, number>>

interface Bounds {
  readonly fallback: number
  readonly min: number
}

const limits = {
  linger: { fallback: 1_000, min: 0 },
  staleAfter: { fallback: 30_000, min: 1 },
  confirmTimeout: { fallback: 10_000, min: 1 },
  connectTimeout: { fallback: 10_000, min: 1 },
  pingInterval: { fallback: 15_000, min: 1 },
  pongTimeout: { fallback: 10_000, min: 1 },
  requestTimeout: { fallback: 5_000, min: 1 },
  authExpiration: { fallback: 10_000, min: 1 },
  maxTopicsPerConnection: { fallback: Infinity, min: 1 },
  maxFramesPerSecond: { fallback: Infinity, min: 1 },
  maxFrameBytes: { fallback: 1_048_576, min: 1 },
  maxBodyBytes: { fallback: 1_048_576, min: 1 },
} satisfies Readonly<Record<string, Bounds>>

const reconnectLimits = {
  initialDelay: { fallback: 250, min: 1 },
  maxDelay: { fallback: 30_000, min: 1 },
  stableAfter: { fallback: 5_000, min: 0 },
} satisfies Readonly<Record<keyof ReconnectOptions, Bounds>>

/** The other options, by what `typeof` says of them. */
const kinds = {
  allowInsecure: 'boolean',
  canonicalHeaders: 'function',
  reconnect: 'object',
  signal: 'object',
  webSocket: 'object',
  http: 'object',
} as const

/** Of those that are somebody's own, what they must be able to do. */
const methods = {
  signal: ['addEventListener', 'removeEventListener'],
  webSocket: ['dial', 'close'],
  http: ['get', 'close'],
} as const

/** Checks everything at once, and throws a `ConfigurationError` that names the option at fault. */
export const configure = (options: ClientOptions): Configuration => {
  checkKinds(options)
  refuseUndefined(options, '')
  const { environment, baseUrl, authKey, allowInsecure = false, service = defaultService } = options
  if (!isEnvironment(environment))
    throw new ConfigurationError('environment', "expected 'mainnet' or 'testnet'")
  checkService(service)
  const secure = authKey !== undefined && !allowInsecure
  const prices = parseUrl('priceBaseUrl', options.priceBaseUrl, ['https:', 'http:'], secure)
  const { priceWsUrl = asWebSocket(prices) } = options
  const relayer =
    baseUrl === undefined ? undefined : parseUrl('baseUrl', baseUrl, ['https:', 'http:'], secure)
  const sign = authKey === undefined ? undefined : createSignerFrom(options, service, authKey)
  const hasDepth = environment === 'mainnet' && relayer !== undefined && sign !== undefined
  return {
    chainId: chainIds[environment],
    service,
    prices: endpointOf(prices),
    priceWsUrl: parseUrl('priceWsUrl', priceWsUrl, ['wss:', 'ws:'], secure).href,
    depth: hasDepth ? { relayer: endpointOf(relayer), sign } : undefined,
    limits: checkLimits(options),
    reconnect: checkNumbers(options.reconnect ?? {}, reconnectLimits, 'reconnect.'),
    ca: options.ca === undefined ? undefined : parseCertificates('ca', options.ca),
    signal: options.signal,
    webSocket: options.webSocket,
    http: options.http,
  }
}

const checkKinds = (options: ClientOptions): void => {
  checkKind('options', options, 'object')
  for (const [name, kind] of Object.entries(kinds)) {
    const value = options[name as keyof typeof kinds]
    if (value !== undefined) checkKind(name, value, kind)
  }
  for (const [name, needed] of Object.entries(methods)) {
    const value = options[name as keyof typeof methods]
    if (value !== undefined) checkMethods(name, value, needed)
  }
}

const checkKind = (name: string, value: unknown, kind: string): void => {
  if (typeof value !== kind || value === null || Array.isArray(value)) {
    throw new ConfigurationError(name, `expected a value of type ${kind}`)
  }
}

const checkMethods = (name: string, value: object, needed: readonly string[]): void => {
  for (const method of needed) {
    if (typeof Reflect.get(value, method) !== 'function') {
      throw new ConfigurationError(name, `expected an object with the methods ${needed.join(' and ')}`)
    }
  }
}

const refuseUndefined = (options: object, path: string): void => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) {
      throw new ConfigurationError(path + name, 'was given as undefined; leave it out, or set its value')
    }
    if (name === 'reconnect') refuseUndefined(value as object, 'reconnect.')
  }
}

const checkService = (service: unknown): void => {
  if (typeof service === 'string' && /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/.test(service)) return
  throw new ConfigurationError('service', 'expected letters and digits, as in topics and header names')
}

const createSignerFrom = (options: ClientOptions, service: string, authKey: string): Signer => {
  const key = decodeKey(authKey)
  if (isLeft(key)) throw key.left
  const sign = createSigner(service, key.right, options.canonicalHeaders ?? concatenateHeaders)
  try {
    sign('/', 0)
  } catch {
    throw new ConfigurationError('canonicalHeaders', 'expected a function that gives bytes or a text')
  }
  return sign
}

/** The price reporter's WebSocket address where none is given: port 4000 of the HTTP address's host. */
const asWebSocket = (prices: URL): string => {
  const url = new URL(prices)
  url.protocol = prices.protocol === 'https:' ? 'wss:' : 'ws:'
  url.port = '4000'
  return url.href
}

const checkLimits = (options: ClientOptions): Limits => {
  const checked = checkNumbers(options, limits, '')
  if (options.pongTimeout === undefined) {
    return { ...checked, pongTimeout: Math.min(checked.pongTimeout, checked.pingInterval) }
  }
  if (checked.pongTimeout > checked.pingInterval) {
    throw new ConfigurationError('pongTimeout', 'expected at most pingInterval')
  }
  return checked
}

const checkNumbers = <K extends string>(
  options: Readonly<Partial<Record<NoInfer<K>, unknown>>>,
  bounds: Readonly<Record<K, Bounds>>,
  path: string,
): Readonly<Record<K, number>> => {
  const check = (name: K): number => {
    const { fallback, min } = bounds[name]
    const value = options[name]
    if (value === undefined) return fallback
    // A limit that there is none of by default may be said not to be there.
    if (typeof value === 'number' && value >= min && (value === fallback || value < Infinity)) return value
    const finite = fallback === Infinity ? '' : 'finite '
    throw new ConfigurationError(path + name, `expected a ${finite}number of at least ${min}`)
  }
  const names = Object.keys(bounds) as K[]
  return Object.fromEntries(names.map((name) => [name, check(name)])) as Record<K, number>
}
