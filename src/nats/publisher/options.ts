import { serviceOption, signalOption } from '../../client/options.js'
import { countOption, timerOption } from '../../base/option-kinds/number-option.js'
import { type OptionTable, type Signal } from '../../base/option-kinds/option.js'
import { parseOptions, type Completed } from '../../base/option-kinds/parse-options.js'
import { connectionNames, type NatsOptions } from '../options.js'

/**
 * Options of `startNatsGateway`: `servers`, the options of the NATS connection, such as `user`, `authenticator` and `tls`,
 * and those below. An absent option has its default. An invalid value, an explicit `undefined` and a misspelt option name
 * reject with a `ConfigurationError`. Other unknown properties are ignored.
 */
export interface NatsGatewayOptions extends NatsOptions {
  /** Name of the service: prefix of topics and of subjects. Default: `svc`. */
  readonly service?: string
  /** Number of sessions; further sessions are refused. Default: 10 000. */
  readonly maxConnections?: number
  /** Number of topics of one session; a further topic gets an error text. Default: 5000. */
  readonly maxTopicsPerConnection?: number
  /** Minimum time between two depth requests for one mint to the service, in ms. Default: 250. */
  readonly depthEvery?: number
  /** Closes the gateway when it aborts. */
  readonly signal?: Signal
}

/** @internal */
const gatewayTable = {
  service: serviceOption,
  maxConnections: countOption({ default: 10_000 }),
  maxTopicsPerConnection: countOption({ default: 5_000 }),
  depthEvery: timerOption({ default: 250 }),
  signal: signalOption,
} satisfies OptionTable<Omit<NatsGatewayOptions, keyof NatsOptions>>

/**
 * Throws a `ConfigurationError` that names the first invalid option. The values of the connection are not checked.
 *
 * @internal
 */
export const parseNatsGatewayOptions = (options: NatsGatewayOptions): Completed<typeof gatewayTable> =>
  parseOptions(gatewayTable, options, { otherNames: Object.keys(connectionNames) })
