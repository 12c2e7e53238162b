import { clientTable } from '../client/option-table.js'
import type { Signal } from '../domain/signal.js'
import { plainObject } from '../option-kinds/check.js'
import { countOption, portOption, timerOption } from '../option-kinds/number-option.js'
import {
  checkedOption,
  flagOption,
  nestedOption,
  objectOption,
  parsedOption,
  stringOption,
  type OptionTable,
} from '../option-kinds/option.js'
import type { GatewayKeys, GatewayOptions, GatewayTls } from './options.js'

const pem = (meaning: string) =>
  ({
    ...parsedOption<string | Uint8Array>('string or bytes', {
      meaning,
      expected: 'PEM, as a string or bytes',
    }),
    required: true,
  }) as const

export const tlsTable = {
  key: pem('Private key'),
  cert: pem('Certificate of the key, with the certificates of the authorities between it and the root'),
} satisfies OptionTable<GatewayTls>

/** An origin as browsers write it. */
const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' &&
  URL.canParse(value) &&
  /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+$/.test(value) &&
  (!/^https?:/.test(value) || new URL(value).origin === value)

/** Numbers are checked in this order. */
export const limitTable = {
  port: portOption({
    meaning: 'Port to listen on, for HTTP and WebSocket; 0 picks a free port',
    default: 0,
  }),
  maxConnections: countOption({
    meaning: 'Number of WebSocket connections; further ones are refused',
    default: 2000,
  }),
  maxTopicsPerConnection: countOption({
    meaning: 'Number of topics of one WebSocket connection; a further one gets an error text',
    default: 1000,
  }),
  maxBufferedBytes: countOption({
    meaning:
      'Size of the unsent data, other than prices, above which a WebSocket connection is closed with 1013',
    unit: 'bytes',
    default: 4 * 2 ** 20,
  }),
  depthEvery: timerOption({
    meaning: 'Minimum time between two depth requests for one mint to the service',
    default: 250,
  }),
} satisfies OptionTable<
  Pick<
    GatewayOptions,
    'port' | 'maxConnections' | 'maxTopicsPerConnection' | 'maxBufferedBytes' | 'depthEvery'
  >
>

export const gatewayTable = {
  host: stringOption(/^[\w.:%-]+$/, 'a host name or an IP address, without brackets', {
    meaning: 'Address to listen on; one that other machines can reach requires `keys`, or `openDepth: true`',
    default: '127.0.0.1',
  }),
  service: clientTable.service,
  keys: checkedOption<GatewayKeys>(
    'object',
    {
      expected: 'an object of base64 strings, by the names of the keys, with at least one key',
      holds: (value) => plainObject.holds(value) && Object.keys(value as object).length > 0,
    },
    {
      meaning: 'Keys of consumers: a depth request must be signed with one of them',
      defaultText: 'depth requests need no signature',
    },
  ),
  openDepth: flagOption({
    meaning: 'Allows a `host` that other machines can reach without `keys`',
    default: false,
  }),
  tls: nestedOption<GatewayTls>(tlsTable, {
    meaning: 'Private key and certificate: the gateway serves `https:` and `wss:`',
    defaultText: '`http:` and `ws:`',
  }),
  origins: checkedOption<readonly string[]>(
    'array',
    {
      expected: 'an array of origins like https://app.example, without a path',
      holds: (value) => Array.isArray(value) && value.every(isOrigin),
    },
    { meaning: 'Origins of pages with access', defaultText: "the gateway's own pages only" },
  ),
  ...limitTable,
  signal: objectOption<Signal>(['addEventListener', 'removeEventListener'], {
    meaning: 'Closes the gateway when it aborts',
  }),
} satisfies OptionTable<GatewayOptions>
