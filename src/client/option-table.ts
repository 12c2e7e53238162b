import type { CanonicalHeaders } from '../auth/mac.js'
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

const msOption = (fallback: number, min = 1, orInfinity = false) =>
  numberOption({ unit: 'ms', min, orInfinity, default: fallback })

const bytesOption = (fallback: number) => countOption({ unit: 'bytes', default: fallback })

const unlimitedOption = countOption({ default: Infinity })

export const limitTable = {
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
  maxConcurrentRequests: countOption({
    default: 64,
  }),
  maxFrameBytes: bytesOption(2 ** 20),
  maxBodyBytes: bytesOption(2 ** 20),
} satisfies OptionTable<Pick<ClientOptions, LimitName>>

export const reconnectTable = {
  initialDelay: msOption(250),
  maxDelay: msOption(30_000),
  stableAfter: msOption(5_000, 0),
} satisfies OptionTable<ReconnectOptions>

/** `parseHeaders` checks the names and values. A `Headers` or a `Map` has no properties, so all would be lost. */
const headersByName: Check = {
  expected: 'an object of strings, by the names of the headers',
  holds: (value) => plainObject.holds(value) && !(Symbol.iterator in (value as object)),
}

/** Numbers are checked in this order. */
export const clientTable = {
  environment: wordOption(Object.keys(chainIds) as readonly Environment[], {
    required: true,
  }),
  priceBaseUrl: { ...urlOption(['https:', 'http:']), required: true as const },
  priceWsUrl: urlOption(['wss:', 'ws:']),
  baseUrl: urlOption(['https:', 'http:']),
  authKey: parsedOption<string>('string', 'a base64 string of at least one byte'),
  allowBrowserKey: flagOption({
    default: false,
  }),
  unsigned: flagOption({
    default: false,
  }),
  headers: checkedOption<Readonly<Record<string, string | undefined>>>('object', headersByName),
  service: stringOption(
    /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
    'letters and digits, as in topics and header names',
    { default: defaultService },
  ),
  allowInsecure: flagOption({
    default: false,
  }),
  ca: parsedOption<string | Uint8Array>('string or bytes', 'PEM certificates, as a string or bytes'),
  canonicalHeaders: functionOption<CanonicalHeaders>(),
  ...limitTable,
  reconnect: nestedOption<ReconnectOptions>(reconnectTable),
  signal: objectOption<Signal>(['addEventListener', 'removeEventListener']),
  webSocket: objectOption<WebSocketTransport>(['dial', 'close']),
  http: objectOption<HttpTransport>(['get', 'close']),
} satisfies OptionTable<ClientOptions>
