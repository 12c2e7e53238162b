import { serviceOption, signalOption } from '../client/options.js'
import { isAddress, type Address, isTopicOf, isTopicOfAnyService, type Topic } from '../base/domain/topic.js'
import { isLoopback } from '../base/domain/endpoint.js'
import { isDecimals } from '../base/domain/valid-numbers.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { countOption, numberOption, portOption, timerOption } from '../base/option-kinds/number-option.js'
import {
  checkedOption,
  flagOption,
  nestedOption,
  parsedOption,
  plainObject,
  required,
  stringOption,
  withDefault,
  type OptionTable,
  type Signal,
} from '../base/option-kinds/option.js'
import { listOption, recordOption } from '../backtest/option-kinds.js'
import { parseOptions, type Completed } from '../base/option-kinds/parse-options.js'
import type { Clock } from '../base/time/clock.js'
import { urlHost } from './http/addresses.js'
import type { Report } from './server/report.js'

/**
 * Options of `startGateway`. An absent option has its default. An invalid value, an explicit `undefined` and a misspelt
 * option name reject with a `ConfigurationError`. Other unknown properties are ignored.
 */
export interface GatewayOptions {
  /**
   * Address to listen on; an address that other machines can reach requires `keys`, `access` or `openDepth: true`. Default:
   * `127.0.0.1`.
   */
  readonly host?: string
  /** Port to listen on, for HTTP and WebSocket; 0 picks a free port. Default: 0. */
  readonly port?: number
  /** Name of the service: prefix of topics and of signed headers. Default: `svc`. */
  readonly service?: string
  /**
   * Keys of consumers, by name, in base64; a depth request must be signed with one of them. Default: depth requests
   * need no signature.
   */
  readonly keys?: GatewayKeys
  /**
   * Tokens of consumers: each request and each WebSocket needs one, as `Authorization: Bearer …` or as the query parameter
   * `access_token`. Programs of this machine can read `/health` without one. Default: none is needed.
   */
  readonly access?: GatewayAccess
  /**
   * Allows a `host` that other machines can reach, without `keys` and `access`: every machine that reaches it can request depth.
   * Default: `false`.
   */
  readonly openDepth?: boolean
  /** Private key and certificate: the gateway serves `https:` and `wss:`. Default: `http:` and `ws:`. */
  readonly tls?: GatewayTls
  /** Origins of pages with access, such as `https://app.example`. Default: the gateway's own pages only. */
  readonly origins?: readonly string[]
  /** Number of WebSocket connections; further connections are refused. Default: 2000. */
  readonly maxConnections?: number
  /** Number of WebSocket connections of one address, or of one IPv6 network of 64 bits. Default: `Infinity`. */
  readonly maxConnectionsPerAddress?: number
  /** Number of topics of one WebSocket connection; a further topic gets an error text. Default: 10 000. */
  readonly maxTopicsPerConnection?: number
  /**
   * Number of messages of one connection per second; a burst may have ten times as many. Further messages wait, up to 1 MiB
   * of them; then the connection is not read for a while. Its requests over HTTP, with pings and pongs, have a limit of the
   * same number; beyond it, the connection is not read for a while. Default: 1000.
   */
  readonly maxMessagesPerSecond?: number
  /**
   * Number of topics per second that the gateway subscribes to at the service for one connection; a burst may have a
   * hundred times as many. Further messages wait, as beyond `maxMessagesPerSecond`. Default: 100.
   */
  readonly maxNewTopicsPerSecond?: number
  /**
   * Size of the unsent data, other than prices, above which a WebSocket connection is closed with 1013, in bytes. Prices
   * count too for a consumer that has never answered a ping. Default: 4 MiB.
   */
  readonly maxBufferedBytes?: number
  /** Minimum time between two depth requests for one mint to the service, in ms. Default: 250. */
  readonly depthEvery?: number
  /** Tokens that consumers can give by symbol, such as those of `defineTokens`: `GET /tokens` returns them. Default: none. */
  readonly symbols?: GatewayTokens
  /** Records the prices of the topics that consumers subscribe to, and serves them. Default: the gateway has no history. */
  readonly history?: GatewayHistoryOptions
  /** Closes the gateway when it aborts. */
  readonly signal?: Signal
}

/** Options of the history of a gateway. */
export interface GatewayHistoryOptions {
  /**
   * Path of the folder for the recordings, which is created if it does not exist. Only one gateway writes to a folder.
   * A folder has recordings of one service and one deployment.
   */
  readonly folder: string
  /**
   * Minimum age at which prices are deleted, in ms; whole files are deleted, each of at most an hour. `Infinity` keeps all.
   * Default: 604 800 000, 7 days.
   */
  readonly keep?: number
  /** Size of all files, in bytes; beyond it, the oldest files are deleted. Default: 10 GiB. */
  readonly maxBytes?: number
  /** Topics that are always recorded. Other topics are recorded while consumers subscribe to them. Default: none. */
  readonly topics?: readonly Topic[]
}

/** Keys in base64, in the standard or the url-safe alphabet, padded or not. */
export type GatewayKeys = Readonly<Record<string, string>>

export interface GatewayAccess {
  /** Secrets by the names of the tokens, at least one: visible characters of ASCII. */
  readonly tokens: GatewayKeys
}

/** Tokens by symbol. A token without decimals has quantities in base-token units. */
export type GatewayTokens = Readonly<
  Record<string, { readonly address: Address; readonly decimals?: number | undefined }>
>

export interface GatewayTls {
  /** Private key, in PEM. */
  readonly key: string | Uint8Array
  /** Certificate of the key, with the certificates of the authorities between it and the root, in PEM. */
  readonly cert: string | Uint8Array
}

/** With these options, depth requests must be signed. */
export interface SignedGatewayOptions extends GatewayOptions {
  readonly keys: GatewayKeys
}

/** With these options, depth requests need no signature. */
export interface UnsignedGatewayOptions extends GatewayOptions {
  readonly keys?: never
}

/** @internal */
const pem = required(parsedOption<string | Uint8Array>('string or bytes', 'PEM, as a string or bytes'))

/** @internal */
export const tlsTable = { key: pem, cert: pem } satisfies OptionTable<GatewayTls>

/** @internal */
export const accessTable = {
  tokens: required(
    checkedOption<GatewayKeys>('object', {
      expected:
        'an object of secrets, by the names of the tokens, with at least one token of visible ASCII characters',
      holds: (value) => {
        const secrets = plainObject.holds(value) ? Object.values(value as object) : []
        return (
          secrets.length > 0 && secrets.every((each) => typeof each === 'string' && /^[!-~]+$/.test(each))
        )
      },
    }),
  ),
} satisfies OptionTable<GatewayAccess>

/** @internal */
export const historyTable = {
  folder: required(stringOption(/./, 'the path of a folder')),
  keep: numberOption({ unit: 'ms', above: 0, default: 7 * 86_400_000, orInfinity: true }),
  maxBytes: countOption({ unit: 'bytes', default: 10 * 2 ** 30 }),
  topics: listOption<Topic>('topics like svc-0x82af… of the service', isTopicOfAnyService),
} satisfies OptionTable<GatewayHistoryOptions>

/** An origin as browsers write it. */
const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' &&
  URL.canParse(value) &&
  /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+$/.test(value) &&
  (!/^https?:/.test(value) || new URL(value).origin === value)

/**
 * The options are checked in this order.
 *
 * @internal
 */
export const gatewayTable = {
  host: withDefault(
    stringOption(/^[\w.:%-]+$/, 'a host name or an IP address, without brackets'),
    '127.0.0.1',
  ),
  port: portOption(),
  service: serviceOption,
  keys: checkedOption<GatewayKeys>('object', {
    expected: 'an object of base64 strings, by the names of the keys, with at least one key',
    holds: (value) => plainObject.holds(value) && Object.keys(value as object).length > 0,
  }),
  access: nestedOption(accessTable),
  openDepth: flagOption(false),
  tls: nestedOption(tlsTable),
  origins: listOption<string>('an array of origins like https://app.example, without a path', isOrigin),
  maxConnections: countOption({ default: 2000 }),
  maxConnectionsPerAddress: countOption({ default: Infinity }),
  maxTopicsPerConnection: countOption({ default: 10_000 }),
  maxMessagesPerSecond: countOption({ default: 1000 }),
  maxNewTopicsPerSecond: countOption({ default: 100 }),
  maxBufferedBytes: countOption({ unit: 'bytes', default: 4 * 2 ** 20 }),
  depthEvery: timerOption({ default: 250 }),
  symbols: withDefault(
    recordOption<GatewayTokens>('an object like { WETH: { address, decimals } }', (value) => isToken(value)),
    {},
  ),
  history: nestedOption(historyTable),
  signal: signalOption,
} satisfies OptionTable<GatewayOptions>

const isToken = (value: unknown): boolean => {
  if (!plainObject.holds(value)) return false
  const { address, decimals } = value as { readonly address?: unknown; readonly decimals?: unknown }
  return isAddress(address) && (decimals === undefined || isDecimals(decimals))
}

/**
 * The checked options of a history.
 *
 * @internal
 */
export type HistorySetup = Completed<typeof historyTable>

/**
 * The checked options, with the clock and the reports that the parts of a gateway share.
 *
 * @internal
 */
export interface GatewaySetup extends Completed<typeof gatewayTable> {
  readonly clock: Clock
  readonly report: Report
}

/**
 * Throws a `ConfigurationError` that names the first invalid option. The values of `keys` and `tls` are not checked.
 *
 * @internal
 */
export const parseGatewayOptions = (options: GatewayOptions): Completed<typeof gatewayTable> => {
  const setup = parseOptions(gatewayTable, options)
  const { host, keys, access, openDepth, history, service } = setup
  if (keys === undefined && access === undefined && !openDepth && !isLoopback(urlHost(host))) {
    throw new ConfigurationError('host', 'other machines can reach this address; use a loopback address', [
      'keys',
      'access',
      'openDepth',
    ])
  }
  if (history?.topics.every((topic) => isTopicOf(topic, service)) === false) {
    throw new ConfigurationError('history.topics', `expected topics of the service ${service}`)
  }
  return setup
}
