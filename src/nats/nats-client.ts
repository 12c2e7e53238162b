import { nuid } from '@nats-io/transport-node'
import type { Client, PriceClient } from '../client/client.js'
import { createClientOn } from '../client/create-client.js'
import { clientTable } from '../client/option-table.js'
import { defaultService } from '../domain/topic.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { checkDefined, checkOption, checkSpelling } from '../option-kinds/check-options.js'
import { plainObject } from '../option-kinds/check.js'
import { numberOption } from '../option-kinds/number-option.js'
import { node } from '../platform/node.js'
import { currentClock } from '../time/current-clock.js'
import { connectionNames, connectionOptionsOf } from './connection/connection-options.js'
import { NatsLink } from './connection/nats-link.js'
import type { ConsumerContext } from './consumer/consumer-context.js'
import { FollowedGateway } from './consumer/followed-gateway.js'
import { natsHttpTransport } from './consumer/nats-http-transport.js'
import { natsWebSocketTransport } from './consumer/nats-web-socket-transport.js'
import type { NatsClientOptions, NatsDepthClientOptions } from './consumer/options.js'
import { subjectsOf } from './subjects.js'

const maxLagOption = numberOption({
  unit: 'ms',
  min: 1,
  default: 1_000,
})

/** A gateway or a NATS server that returns is found within this time, in ms. */
const maxReconnectDelay = 1_000

/** The addresses of a client over NATS: its transports do not use them. */
const addresses = {
  baseUrl: 'http://nats.invalid',
  priceBaseUrl: 'http://nats.invalid',
  priceWsUrl: 'ws://nats.invalid',
  unsigned: true,
} as const

/** Options of `createClient` that the client of the gateway has instead. */
const upstreamNames = [
  ...Object.keys(addresses),
  'authKey',
  'allowBrowserKey',
  'headers',
  'allowInsecure',
  'ca',
  'authExpiration',
  'canonicalHeaders',
  'webSocket',
  'http',
]

/**
 * Creates a client whose prices and depth come from a gateway over NATS (`startNatsGateway`). It has the guarantees of
 * `createClient`. It follows one gateway at a time, and changes when that one does not answer. Opens no connection until
 * a stream is subscribed to or a task is run. Throws a `ConfigurationError` that names the first invalid option.
 *
 * @example
 * const client = natsClient({ environment: 'mainnet', servers: 'nats://127.0.0.1:4222' })
 */
export function natsClient(options: NatsDepthClientOptions): Client
export function natsClient(options: NatsClientOptions): PriceClient
export function natsClient(options: NatsClientOptions): Client {
  checkOption('options', options, plainObject)
  const known = { ...clientTable, ...connectionNames, maxLag: true }
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    checkSpelling(name, known)
    checkDefined(name, value)
  }
  for (const name of upstreamNames) {
    if (Object.hasOwn(options, name)) {
      throw new ConfigurationError(name, 'is an option of the client of the gateway; omit it')
    }
  }
  const { maxLag = maxLagOption.default, service = defaultService, reconnect } = options
  const { requestTimeout = clientTable.requestTimeout.default } = options
  checkOption('maxLag', maxLag, maxLagOption)
  checkOption('service', service, clientTable.service)
  const clock = currentClock()
  const link = new NatsLink(connectionOptionsOf(options), clock)
  const context: ConsumerContext = {
    link,
    clock,
    subjects: subjectsOf(service),
    inboxPrefix: link.inboxPrefix,
    id: nuid.next(),
    requestTimeout,
    maxLag,
    followed: new FollowedGateway(),
  }
  return createClientOn(node)({
    ...clientOptionsOf(options),
    reconnect: { maxDelay: maxReconnectDelay, ...reconnect },
    ...addresses,
    // Held against `maxLag` here already, by the clock of the gateway.
    maxLag: Infinity,
    webSocket: natsWebSocketTransport(context),
    http: natsHttpTransport(context),
    // Depth exists on mainnet alone, which `createClient` checks.
  } as Parameters<ReturnType<typeof createClientOn>>[0]) as Client
}

/** The options of `createClient` among others. */
const clientOptionsOf = (options: NatsClientOptions): Pick<NatsClientOptions, 'environment'> => {
  const entries = Object.entries(options).filter(([name]) => Object.hasOwn(clientTable, name))
  return { ...Object.fromEntries(entries), environment: options.environment }
}
