import { clientTable, type ClientOptions } from '../../client/options.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { numberOption } from '../../base/option-kinds/number-option.js'
import type { OptionTable } from '../../base/option-kinds/option.js'
import { parseOptions, type Completed } from '../../base/option-kinds/parse-options.js'
import { connectionNames, type NatsOptions } from '../options.js'

/**
 * Options of `natsClient`: those of `createClient` that have a meaning over NATS, `servers`, and the options of the
 * NATS connection, such as `user`, `authenticator`, `tls` and `inboxPrefix`. `reconnect`, `pingInterval` and `signal`
 * are those of `createClient`, but the upper bound of the waits between reconnects is 1000 ms by default.
 */
export interface NatsClientOptions extends Omit<ClientOptions, UpstreamOption>, NatsOptions {
  /**
   * Age of a price, from the service on, above which it is held, in ms. Also the lag behind the gateway, time in which
   * the gateway was stopped included, above which the client reconnects and topics emit `Disconnected`. Default: 1000.
   */
  readonly maxLag?: number
}

/** With these options, the client has depth methods. */
export interface NatsDepthClientOptions extends NatsClientOptions {
  readonly environment: 'mainnet'
}

/** The options of `createClient` that have no meaning over NATS: the client of the gateway has them. */
type UpstreamOption = (typeof upstreamNames)[number]

const upstreamNames = [
  ...([
    'priceBaseUrl',
    'priceWsUrl',
    'lines',
    'rotateAfter',
    'baseUrl',
    'authKey',
    'allowBrowserKey',
    'unsigned',
    'headers',
  ] as const),
  ...(['allowInsecure', 'ca', 'authExpiration', 'canonicalHeaders', 'webSocket', 'http'] as const),
] as const

const isUpstream = (name: string): boolean => (upstreamNames as readonly string[]).includes(name)

/** @internal */
const natsClientTable = {
  ...(Object.fromEntries(Object.entries(clientTable).filter(([name]) => !isUpstream(name))) as Omit<
    typeof clientTable,
    UpstreamOption
  >),
  maxLag: numberOption({ unit: 'ms', min: 1, default: 1_000 }),
} satisfies OptionTable<Omit<NatsClientOptions, keyof NatsOptions>>

/**
 * Throws a `ConfigurationError` that names the first invalid option. The values of the connection are not checked.
 *
 * @internal
 */
export const parseNatsClientOptions = (options: NatsClientOptions): Completed<typeof natsClientTable> => {
  const otherNames = [...Object.keys(connectionNames), ...upstreamNames]
  const parsed = parseOptions(natsClientTable, options, { otherNames })
  for (const name of upstreamNames) {
    if (Object.hasOwn(options, name))
      throw new ConfigurationError(name, 'is an option of the client of the gateway; omit it')
  }
  return parsed
}

/**
 * The options of `createClient` among others.
 *
 * @internal
 */
export const clientOptionsOf = (options: NatsClientOptions): Pick<NatsClientOptions, 'environment'> => {
  const entries = Object.entries(options).filter(([name]) => Object.hasOwn(natsClientTable, name))
  return { ...Object.fromEntries(entries), environment: options.environment }
}
