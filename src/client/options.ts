import { concatenateHeaders, type CanonicalHeaders } from '../wire/auth/sign-request.js'
import type { Environment } from '../base/domain/environment.js'
import { defaultService } from '../base/domain/topic.js'
import { countOption, integerOption, numberOption } from '../base/option-kinds/number-option.js'
import {
  checkedOption,
  environmentOption,
  flagOption,
  nestedOption,
  objectOption,
  objectWith,
  parsedOption,
  plainObject,
  required,
  stringOption,
  withDefault,
  type Option,
  type OptionTable,
  type Signal,
} from '../base/option-kinds/option.js'
import { checkValue } from '../base/option-kinds/parse-options.js'
import type { HttpTransport, WebSocketTransport } from '../wire/transport/ports.js'

/**
 * Options of `createClient`. An absent option has its default. An invalid value, an explicit `undefined` and a
 * misspelt option name throw a `ConfigurationError`. Other unknown properties are ignored.
 */
export interface ClientOptions {
  /** Environment of the service (section 1 of the service's documentation). Depth exists only on `mainnet`. */
  readonly environment: Environment
  /** HTTP address of the price reporter, `https:` or `http:`. Its path and query are preserved. */
  readonly priceBaseUrl: string | undefined
  /**
   * WebSocket address of the price reporter, or several different ones: after a failed dial or a lost connection, the next
   * one is dialled at once. Each has a backoff of its own. Default: `priceBaseUrl` as `wss:` or `ws:` on port 4000.
   */
  readonly priceWsUrl?: string | readonly string[] | undefined
  /**
   * Number of connections that carry each topic at once, from 1 to 4, over the addresses in turn. One of them delivers. If it
   * is lost, silent or behind, the best of the others delivers from then on. Default: 1.
   */
  readonly lines?: number
  /**
   * Age at which a connection is replaced before the service ends it, in ms: the new one has each topic first, and no price
   * is missing or doubled. Default: `Infinity`, never.
   */
  readonly rotateAfter?: number
  /** Address of the relayer API; required for depth. Its path is sent, and signed, unchanged. */
  readonly baseUrl?: string | undefined
  /** Auth key; required for depth. Base64 in the standard or the url-safe alphabet, padded or not. */
  readonly authKey?: string | undefined
  /** Allows `authKey` in a browser, where everyone can read it. No effect on Node. Default: `false`. */
  readonly allowBrowserKey?: boolean
  /**
   * True if `baseUrl` is a gateway that signs requests for the client; `authKey` must then be absent. The client sends
   * no signature. Default: `false`.
   */
  readonly unsigned?: boolean
  /**
   * Additional headers of relayer requests, by name, such as an API key. Headers whose names start with `x-<service>-` are
   * included in the signature. Names and values are ASCII without control characters; values are trimmed. The two headers of the
   * signature, and headers of the connection such as `host`, are rejected. Values are secrets: no error contains a value of at
   * least 6 characters, and without `allowInsecure`, `baseUrl` must not be an `http:` address of another machine.
   */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Name of the service: prefix of topics and of signed headers. Default: `svc`. */
  readonly service?: string
  /** Allows `http:` and `ws:` to other machines even if a key or a header is set. Default: `false`. */
  readonly allowInsecure?: boolean
  /**
   * Certificates of the trusted authorities: one or several in PEM, as a string or as bytes. Not available in a browser.
   * Default: Node's own.
   */
  readonly ca?: string | Uint8Array
  /** Closes the client when it aborts. */
  readonly signal?: Signal

  /**
   * Time for which a topic stays subscribed and a poll is kept after the last subscriber has left, in ms. A poll starts
   * no request in this time. At the end, its request in flight is aborted. Default: 1000.
   */
  readonly linger?: number
  /** Time without a price after which a confirmed topic is `Stale`, in ms. Default: 30 000. */
  readonly staleAfter?: number
  /**
   * Time within which the service must confirm or reject a subscribe frame, in ms; after it, the topic gets
   * `SubscriptionTimeout`. Default: 10 000.
   */
  readonly confirmTimeout?: number
  /**
   * Time within which a WebSocket or an HTTP connection must be open, in ms. While an address of the host does not answer,
   * the other ones are tried too. `requestTimeout` may end an HTTP connection earlier. Default: 10 000.
   */
  readonly connectTimeout?: number
  /**
   * Age above which a price is held, in ms. The age is an upper bound: the time since the client sent the newest
   * answered ping. Above `maxLag`, each topic becomes `Stale` with `behindMs`. When an answer arrives in time, the
   * topic emits its newest price. A connection that stays behind for longer than `maxLag` is replaced. No effect if the
   * service has never answered a ping. An HTTP response that is read later than `maxLag` after its request is requested once
   * more; a second time is a `Timeout`. Default: 5000; `Infinity` disables the limits.
   */
  readonly maxLag?: number
  /** Longest interval between pings, in ms. With topics, `maxLag` may need shorter intervals. Default: 15 000. */
  readonly pingInterval?: number
  /**
   * Time after a ping within which a frame of any kind must arrive, in ms; after it, the socket is replaced. At most
   * `pingInterval`. Default: 10 000, or `pingInterval` if that is less.
   */
  readonly pongTimeout?: number
  /** Waits between reconnects, and between polls after failures. */
  readonly reconnect?: ReconnectOptions
  /**
   * Time within which the whole response of an HTTP request must arrive, in ms. It includes the time to connect, and not
   * that in which the request is queued. Default: 5000.
   */
  readonly requestTimeout?: number
  /** Time for which the signature of a request is valid, in ms. Default: 10 000. */
  readonly authExpiration?: number
  /** Converts the signed headers to the bytes that are signed. Default: lower-cased name and value, without a separator. */
  readonly canonicalHeaders?: CanonicalHeaders
  /** Number of topics on one WebSocket; further topics open another one. Default: `Infinity`. */
  readonly maxTopicsPerConnection?: number
  /**
   * Number of subscribe and unsubscribe frames in any one second, over all connections of the client. Further frames
   * are delayed. A topic that loses its last subscriber before its frame is sent is not requested. Default: `Infinity`.
   */
  readonly maxFramesPerSecond?: number
  /**
   * Number of HTTP requests in any one second. Further requests wait, first in, first out. A waiting request is signed
   * when it is sent. Default: `Infinity`.
   */
  readonly maxRequestsPerSecond?: number
  /**
   * Number of HTTP requests that wait for their response at the same time. Further requests wait as with
   * `maxRequestsPerSecond`. Default: 64.
   */
  readonly maxConcurrentRequests?: number
  /** Size of the longest frame that is accepted, in bytes. Default: 1 MiB. */
  readonly maxFrameBytes?: number
  /** Size of the longest HTTP body that is accepted, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number
  /** WebSocket transport; the client closes it. Default: `ws`, in a browser the native WebSocket. */
  readonly webSocket?: WebSocketTransport
  /** HTTP transport; the client closes it. Default: `undici`, in a browser `fetch`. */
  readonly http?: HttpTransport
}

/** Every wait is random between 0 and an upper bound, which doubles with each failure. */
export interface ReconnectOptions {
  /** Upper bound of the first wait, in ms. Default: 250. */
  readonly initialDelay?: number
  /** Upper bound of every wait, in ms. Default: 30 000. */
  readonly maxDelay?: number
  /** Time for which a connection must stay open before the waits are reset, in ms. Default: 5000. */
  readonly stableAfter?: number
}

/** With these options, the client has depth methods and signs their requests. */
export interface DepthClientOptions extends ClientOptions {
  readonly environment: 'mainnet'
  readonly baseUrl: string | undefined
  readonly authKey: string | undefined
  readonly unsigned?: false
}

/** With these options, the client has depth methods and a gateway signs their requests. */
export interface UnsignedClientOptions extends ClientOptions {
  readonly environment: 'mainnet'
  readonly baseUrl: string | undefined
  readonly authKey?: never
  readonly unsigned: true
}

/** The schemes of an address: with TLS, and without. */
export type Schemes = readonly [secure: string, plain: string]

/** An address, which `parseUrl` checks. */
const urlOption = <A = string>(schemes: Schemes): Option<A> & { readonly schemes: Schemes } => ({
  ...parsedOption<A>('URL', `a URL like ${urlsOf(schemes)}`),
  schemes,
})

export const urlsOf = (schemes: Schemes): string => schemes.map((scheme) => `${scheme}//…`).join(' or ')

const msOption = (fallback: number, min = 1, orInfinity = false) =>
  numberOption({ unit: 'ms', min, orInfinity, default: fallback })

const bytesOption = (fallback: number) => countOption({ unit: 'bytes', default: fallback })

const unlimitedOption = countOption({ default: Infinity })

/** @internal */
export const signalOption = objectOption<Signal>(['addEventListener', 'removeEventListener'])

/** @internal */
export const serviceOption = withDefault(
  stringOption(/^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/, 'letters and digits, as in topics and header names'),
  defaultService,
)

/** @internal */
export const reconnectTable = {
  initialDelay: msOption(250),
  maxDelay: msOption(30_000),
  stableAfter: msOption(5_000, 0),
} satisfies OptionTable<ReconnectOptions>

/**
 * The options are checked in this order.
 *
 * @internal
 */
export const clientTable = {
  environment: required(environmentOption),
  priceBaseUrl: required(urlOption(['https:', 'http:'])),
  priceWsUrl: urlOption<string | readonly string[]>(['wss:', 'ws:']),
  lines: integerOption({ min: 1, max: 4, default: 1 }),
  rotateAfter: numberOption({ unit: 'ms', min: 1, default: Infinity }),
  baseUrl: urlOption(['https:', 'http:']),
  authKey: parsedOption<string>('string', 'a base64 string of at least one byte'),
  allowBrowserKey: flagOption(false),
  unsigned: flagOption(false),
  // `parseHeaders` checks names and values. A `Headers` or a `Map` has no own properties: its headers would be lost.
  headers: withDefault(
    checkedOption<Readonly<Record<string, string | undefined>>>('object', {
      expected: 'an object of strings, by the names of the headers',
      holds: (value) => plainObject.holds(value) && !(Symbol.iterator in (value as object)),
    }),
    {},
  ),
  service: serviceOption,
  allowInsecure: flagOption(false),
  ca: parsedOption<string | Uint8Array>('string or bytes', 'PEM certificates, as a string or bytes'),
  canonicalHeaders: withDefault<CanonicalHeaders>(
    checkedOption('function', { expected: 'a function', holds: (value) => typeof value === 'function' }),
    concatenateHeaders,
  ),
  linger: msOption(1_000, 0),
  staleAfter: msOption(30_000),
  confirmTimeout: msOption(10_000),
  connectTimeout: msOption(10_000),
  maxLag: msOption(5_000, 1, true),
  pingInterval: msOption(15_000),
  pongTimeout: msOption(10_000),
  requestTimeout: msOption(5_000),
  authExpiration: msOption(10_000),
  maxTopicsPerConnection: unlimitedOption,
  maxFramesPerSecond: unlimitedOption,
  maxRequestsPerSecond: unlimitedOption,
  maxConcurrentRequests: countOption({ default: 64 }),
  maxFrameBytes: bytesOption(2 ** 20),
  maxBodyBytes: bytesOption(2 ** 20),
  reconnect: { ...nestedOption(reconnectTable), default: {} },
  signal: signalOption,
  webSocket: objectOption<WebSocketTransport>(['dial', 'close']),
  http: objectOption<HttpTransport>(['get', 'close']),
} satisfies OptionTable<ClientOptions>

/** Throws a `ConfigurationError` for a value that is not a client, for example if a caller passes only options. */
export const checkClient = (client: unknown): void => checkValue('client', client, streams)

const streams = objectWith(['price$', 'price'])
