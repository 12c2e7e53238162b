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

const pem = {
  ...parsedOption<string | Uint8Array>('string or bytes', 'PEM, as a string or bytes'),
  required: true,
} as const

export const tlsTable = { key: pem, cert: pem } satisfies OptionTable<GatewayTls>

/** An origin as browsers write it. */
const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' &&
  URL.canParse(value) &&
  /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+$/.test(value) &&
  (!/^https?:/.test(value) || new URL(value).origin === value)

/** Numbers are checked in this order. */
export const limitTable = {
  port: portOption({
    default: 0,
  }),
  maxConnections: countOption({
    default: 2000,
  }),
  maxTopicsPerConnection: countOption({
    default: 1000,
  }),
  maxBufferedBytes: countOption({
    unit: 'bytes',
    default: 4 * 2 ** 20,
  }),
  depthEvery: timerOption({
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
    default: '127.0.0.1',
  }),
  service: clientTable.service,
  keys: checkedOption<GatewayKeys>('object', {
    expected: 'an object of base64 strings, by the names of the keys, with at least one key',
    holds: (value) => plainObject.holds(value) && Object.keys(value as object).length > 0,
  }),
  openDepth: flagOption({
    default: false,
  }),
  tls: nestedOption<GatewayTls>(tlsTable),
  origins: checkedOption<readonly string[]>('array', {
    expected: 'an array of origins like https://app.example, without a path',
    holds: (value) => Array.isArray(value) && value.every(isOrigin),
  }),
  ...limitTable,
  signal: objectOption<Signal>(['addEventListener', 'removeEventListener']),
} satisfies OptionTable<GatewayOptions>
