import { isLeft } from 'fp-ts/lib/Either.js'
import {
  decodeKey,
  authHeaderNames,
  createSigner,
  type Signer,
  type SignerConfig,
} from '../wire/auth/sign-request.js'
import { Secrets } from '../wire/auth/secrets.js'
import { endpointOf, isLoopback, type Endpoint } from '../base/domain/endpoint.js'
import { chainIds, type ChainId } from '../base/domain/environment.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { parseOptions, type CheckRules, type Completed } from '../base/option-kinds/parse-options.js'
import type { Platform } from '../wire/platform/platform.js'
import { clientTable, urlsOf, type ClientOptions, type Schemes } from './options.js'

/** Options that are checked and completed by their defaults. */
export interface Configuration extends Omit<
  Completed<typeof clientTable>,
  'environment' | UrlName | AccessName | 'ca'
> {
  readonly chainId: ChainId
  readonly prices: Endpoint
  /** At least one, all different. */
  readonly priceWsUrls: readonly [string, ...string[]]
  /** `undefined` unless the options allow depth: mainnet, with `baseUrl`, and `authKey` or `unsigned`. */
  readonly depth: RelayerAccess | undefined
  /** Redacted from every error. */
  readonly secrets: Secrets
  readonly ca: string | undefined
}

interface RelayerAccess {
  readonly relayer: Endpoint
  readonly headers: Readonly<Record<string, string>>
  /** `undefined`: requests are not signed. */
  readonly sign: Signer | undefined
}

type UrlName = 'priceBaseUrl' | 'baseUrl' | 'priceWsUrl'

type AccessName =
  'authKey' | 'allowBrowserKey' | 'unsigned' | 'headers' | 'allowInsecure' | 'canonicalHeaders'

/** Throws a `ConfigurationError` that names the first invalid option. */
export const configure = (
  options: ClientOptions,
  { createMac, parseCertificates, isPublic }: Platform,
  rules?: CheckRules,
): Configuration => {
  const given = parseOptions(clientTable, options, rules)
  const { environment, priceBaseUrl, baseUrl, headers: givenHeaders, ca, ...others } = given
  const { authKey, allowBrowserKey, unsigned, allowInsecure, canonicalHeaders, ...settings } = others
  const { service, pingInterval, pongTimeout } = settings
  if (unsigned && authKey !== undefined) {
    throw new ConfigurationError('unsigned', 'cannot be combined with authKey; omit one of them')
  }
  if (isPublic && authKey !== undefined && !allowBrowserKey) {
    throw new ConfigurationError(
      'authKey',
      'is public in a browser; use a gateway with unsigned: true, or set allowBrowserKey: true',
    )
  }
  if (options.pongTimeout !== undefined && pongTimeout > pingInterval) {
    throw new ConfigurationError('pongTimeout', 'expected at most pingInterval')
  }
  const headers = parseHeaders(givenHeaders, service)
  const secrets = new Secrets()
  for (const value of Object.values(headers)) secrets.addValue(value)
  const url = (name: UrlName, value: unknown) => {
    // The headers are sent only to the relayer.
    const hasSecret = authKey !== undefined || (name === 'baseUrl' && Object.keys(headers).length > 0)
    const parsed = parseUrl(name, value, clientTable[name].schemes, hasSecret && !allowInsecure)
    secrets.addUrl(parsed)
    return parsed
  }
  const prices = url('priceBaseUrl', priceBaseUrl)
  const { priceWsUrl = defaultPriceWsUrl(prices), ...completed } = settings
  const relayer = baseUrl === undefined ? undefined : url('baseUrl', baseUrl)
  const signerConfig = { service, createMac, headers, secrets, canonicalHeaders }
  const sign = authKey === undefined ? undefined : createCheckedSigner(authKey, signerConfig)
  const hasDepth = environment === 'mainnet' && relayer !== undefined && (unsigned || sign !== undefined)
  return {
    ...completed,
    chainId: chainIds[environment],
    prices: endpointOf(prices),
    priceWsUrls: listOfUrls(priceWsUrl, (value) => url('priceWsUrl', value)),
    depth: hasDepth ? { relayer: endpointOf(relayer), headers, sign } : undefined,
    secrets,
    pongTimeout: Math.min(pongTimeout, pingInterval),
    ca: ca === undefined ? undefined : parseCertificates('ca', ca),
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

/** The URLs of `priceWsUrl`, which is one URL or a list, as they are given. */
const listOfUrls = (
  value: string | readonly string[],
  parse: (url: string) => URL,
): Configuration['priceWsUrls'] => {
  const urls = [value].flat()
  const [first, ...others] = urls
  if (first === undefined) throw new ConfigurationError('priceWsUrl', 'expected at least one URL')
  if (new Set(urls.map((url) => parse(url).href)).size < urls.length)
    throw new ConfigurationError('priceWsUrl', 'contains a URL twice')
  return [first, ...others]
}

/** The default of `priceWsUrl`: port 4000 on the host of `priceBaseUrl`. */
const defaultPriceWsUrl = (prices: URL): string => {
  const url = new URL(prices)
  url.protocol = prices.protocol === 'https:' ? 'wss:' : 'ws:'
  url.port = '4000'
  return url.href
}

/**
 * The `ConfigurationError` does not contain the URL, which may be secret. `secure`: requires TLS except to loopback addresses.
 */
export const parseUrl = (option: string, value: unknown, schemes: Schemes, secure: boolean): URL => {
  const fail = (problem: string, permittedBy?: readonly string[]): never => {
    throw new ConfigurationError(option, problem, permittedBy)
  }
  if (typeof value !== 'string' || !URL.canParse(value)) return fail(`expected a URL like ${urlsOf(schemes)}`)
  const url = new URL(value)
  if (!schemes.includes(url.protocol)) return fail(`expected ${urlsOf(schemes)}, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '') return fail('credentials in a URL are not supported')
  if (url.hash !== '') return fail('a fragment (#…) is not supported')
  // Transports replace it by the default port of the scheme.
  if (url.port === '0') return fail('expected a port from 1 to 65535, not 0')
  if (secure && url.protocol === schemes[1] && !isThisMachine(url.hostname)) {
    return fail(`${url.protocol} to another machine is not encrypted; use ${schemes[0]}`, ['allowInsecure'])
  }
  return url
}

/** Subdomains of `localhost` are loopback addresses too (RFC 6761). */
export const isThisMachine = (host: string): boolean => isLoopback(host) || host.endsWith('.localhost')

/** A header name of RFC 9110, section 5.1. */
const namePattern = /^[\w!#$%&'*+.^`|~-]+$/

/** ASCII without control characters. */
const valuePattern = /^[\x20-\x7e]*$/

/** Set by the transport where needed: another value would break the framing of the request or the reading of its response. */
const transportHeaders: readonly string[] = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Trims the values. The `ConfigurationError` contains no value, nor a text that is no header name: it may be a value. */
const parseHeaders = (
  headers: Readonly<Record<string, unknown>>,
  service: string,
): Readonly<Record<string, string>> => {
  const reserved = [...Object.values(authHeaderNames(service)), ...transportHeaders]
  const names = new Set<string>()
  const parse = ([name, value]: readonly [string, unknown]): readonly [name: string, value: string] => {
    if (!namePattern.test(name)) throw new ConfigurationError('headers', 'expected valid names of headers')
    const lowerCased = name.toLowerCase()
    const fail = (problem: string): never => {
      throw new ConfigurationError(`headers.${name}`, problem)
    }
    if (reserved.includes(lowerCased)) return fail('is reserved: the client sets this header')
    if (names.has(lowerCased)) return fail('is given twice; header names are case-insensitive')
    names.add(lowerCased)
    if (value === undefined) return fail('is undefined; omit the header or set a value')
    if (typeof value !== 'string' || !valuePattern.test(value)) {
      return fail('expected a string of ASCII characters without control characters')
    }
    return [name, value.trim()]
  }
  return Object.fromEntries(Object.entries(headers).map(parse))
}
