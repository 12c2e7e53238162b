import type { CanonicalHeaders } from '../auth/canonical-headers.js'
import { chainIds, type Environment } from '../domain/environment.js'
import type { Signal } from '../domain/signal.js'
import { defaultService } from '../domain/topic.js'
import { plainObject, type Check } from '../option-kinds/check.js'
import { countOption, numberOption } from '../option-kinds/number-option.js'
import {
  checkedOption,
  flagOption,
  functionOption,
  nestedOption,
  objectOption,
  parsedOption,
  stringOption,
  urlOption,
  wordOption,
  type OptionTable,
} from '../option-kinds/option.js'
import type { HttpTransport, WebSocketTransport } from '../transport/ports.js'
import type { ClientOptions, ReconnectOptions } from './options.js'

type LimitName = {
  [K in keyof ClientOptions]-?: ClientOptions[K] extends number | undefined ? K : never
}[keyof ClientOptions]

/** The options that are numbers, completed by their defaults. */
export type Limits = Readonly<Record<LimitName, number>>

const msOption = (meaning: string, fallback: number, min = 1, orInfinity = false) =>
  numberOption({ meaning, unit: 'ms', min, orInfinity, default: fallback })

const bytesOption = (meaning: string, fallback: number) =>
  countOption({ meaning, unit: 'bytes', default: fallback })

const unlimitedOption = (meaning: string) => countOption({ meaning, default: Infinity })

export const limitTable = {
  linger: msOption(
    'Time for which a topic stays subscribed and a poll continues after its last subscriber has left',
    1_000,
    0,
  ),
  staleAfter: msOption('Time without a price after which a confirmed topic is `Stale`', 30_000),
  confirmTimeout: msOption('Time within which the service must confirm or reject a subscribe frame', 10_000),
  connectTimeout: msOption('Time within which a WebSocket or an HTTP connection must be open', 10_000),
  maxLag: {
    ...msOption('Age above which a price is held', 5_000, 1, true),
    defaultText: '5000; `Infinity` disables the limit',
  },
  pingInterval: msOption('Longest interval between pings', 15_000),
  pongTimeout: {
    ...msOption('Time after a ping within which a frame of any kind must arrive', 10_000),
    defaultText: '10 000, or `pingInterval` if that is less',
  },
  requestTimeout: msOption('Time within which the whole response of an HTTP request must arrive', 5_000),
  authExpiration: msOption('Time for which the signature of a request is valid', 10_000),
  maxTopicsPerConnection: unlimitedOption(
    'Number of topics on one WebSocket; further topics open another one',
  ),
  maxFramesPerSecond: unlimitedOption(
    'Number of subscribe and unsubscribe frames in any one second, over all connections of the client',
  ),
  maxRequestsPerSecond: unlimitedOption('Number of HTTP requests in any one second'),
  maxConcurrentRequests: countOption({
    meaning: 'Number of HTTP requests that wait for their response at the same time',
    default: 64,
  }),
  maxFrameBytes: bytesOption('Size of the longest frame that is accepted', 2 ** 20),
  maxBodyBytes: bytesOption('Size of the longest HTTP body that is accepted', 2 ** 20),
} satisfies OptionTable<Pick<ClientOptions, LimitName>>

export const reconnectTable = {
  initialDelay: msOption('Upper bound of the first wait', 250),
  maxDelay: msOption('Upper bound of every wait', 30_000),
  stableAfter: msOption('Time for which a connection must stay open before the waits start over', 5_000, 0),
} satisfies OptionTable<ReconnectOptions>

/** `parseHeaders` checks the names and values. A `Headers` or a `Map` has no properties, so all would be lost. */
const headersByName: Check = {
  expected: 'an object of strings, by the names of the headers',
  holds: (value) => plainObject.holds(value) && !(Symbol.iterator in (value as object)),
}

/** Numbers are checked in this order. */
export const clientTable = {
  environment: wordOption(Object.keys(chainIds) as readonly Environment[], {
    meaning: 'Environment of the service',
    required: true,
  }),
  priceBaseUrl: urlOption(['https:', 'http:'], {
    meaning: 'HTTP address of the price reporter',
    required: true,
  }),
  priceWsUrl: urlOption(['wss:', 'ws:'], {
    meaning: 'WebSocket address of the price reporter',
    defaultText: '`priceBaseUrl` as `wss:` or `ws:` on port 4000',
  }),
  baseUrl: urlOption(['https:', 'http:'], { meaning: 'Address of the relayer API; required for depth' }),
  authKey: parsedOption<string>('string', {
    meaning: 'Auth key; required for depth',
    expected: 'a base64 string of at least one byte',
  }),
  allowBrowserKey: flagOption({
    meaning: 'Allows `authKey` in a browser, where everyone can read it',
    default: false,
  }),
  unsigned: flagOption({
    meaning: 'True if `baseUrl` is a gateway of yours that signs the requests',
    default: false,
  }),
  headers: checkedOption<Readonly<Record<string, string | undefined>>>('object', headersByName, {
    meaning: 'Additional headers of relayer requests, by name',
  }),
  service: stringOption(
    /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
    'letters and digits, as in topics and header names',
    { meaning: 'Name of the service: prefix of topics and of signed headers', default: defaultService },
  ),
  allowInsecure: flagOption({
    meaning: 'Allows `http:` and `ws:` to other machines even if a key or a header is set',
    default: false,
  }),
  ca: parsedOption<string | Uint8Array>('string or bytes', {
    meaning: 'Certificates of the trusted authorities',
    expected: 'PEM certificates, as a string or bytes',
    defaultText: "Node's own",
  }),
  canonicalHeaders: functionOption<CanonicalHeaders>({
    meaning: 'Converts the signed headers to the bytes that are signed',
    defaultText: 'lower-cased name and value, with nothing in between',
  }),
  ...limitTable,
  reconnect: nestedOption<ReconnectOptions>(reconnectTable, {
    meaning: 'Waits between reconnects, and between polls after failures',
  }),
  signal: objectOption<Signal>(['addEventListener', 'removeEventListener'], {
    meaning: 'Closes the client when it aborts',
  }),
  webSocket: objectOption<WebSocketTransport>(['dial', 'close'], {
    meaning: 'WebSocket transport; the client closes it',
    defaultText: '`ws`, in a browser its own',
  }),
  http: objectOption<HttpTransport>(['get', 'close'], {
    meaning: 'HTTP transport; the client closes it',
    defaultText: '`undici`, in a browser `fetch`',
  }),
} satisfies OptionTable<ClientOptions>
