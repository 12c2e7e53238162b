import type { PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { createUpstreamTopics } from '../../gateway/demand/upstream-topics.js'
import { createRelays } from '../../gateway/relay/create-relays.js'
import { node } from '../../platform/node.js'
import { deferred } from '../../task/deferred.js'
import { onAbort } from '../../task/on-abort.js'
import { currentClock } from '../../time/current-clock.js'
import { delay } from '../../time/deadline.js'
import { connectionOptionsOf } from '../connection/options.js'
import { NatsLink } from '../connection/nats-link.js'
import { subjectsOf } from '../subjects.js'
import { GatewayConnection } from './gateway-connection.js'
import type { NatsGateway } from './nats-gateway.js'
import { parseNatsGatewayOptions, type NatsGatewayOptions } from './options.js'
import { PriceClock } from './price-clock.js'
import { SentBytes } from './sent-bytes.js'
import { publishSessions } from './sessions-listener.js'

/** The start waits for NATS for this time, in ms. Without NATS the gateway starts all the same. */
const startTimeout = 2_000

/**
 * Serves a client to all `natsClient`s of the same NATS cluster. Several gateways may run: each consumer follows one of
 * them, and the others stand by. If no NATS server is reachable, the gateway starts and keeps trying.
 *
 * Rejects with a `ConfigurationError` if an option is invalid, and with the signal's reason if the signal is aborted.
 * Closing the gateway does not close the client.
 *
 * @example
 * const gateway = await startNatsGateway(client, { servers: 'nats://127.0.0.1:4222' })
 */
export const startNatsGateway = async (
  client: PriceClient,
  options: NatsGatewayOptions,
): Promise<NatsGateway> => {
  const setup = parseNatsGatewayOptions(options)
  setup.signal?.throwIfAborted()
  const clock = currentClock()
  const link = new NatsLink(connectionOptionsOf(options), clock)
  const priceClock = new PriceClock(clock, priceFeedOf(client))
  const { publish, addSource } = node
  const sent = new SentBytes()
  const listener = publishSessions(publish, link.host, sent)
  const { depth, price } = createRelays(client, { ...setup, clock, publish, ownHost: () => link.host })
  const started = deferred<undefined>()
  let current: GatewayConnection | undefined

  const topics = createUpstreamTopics<string>(client, {
    service: setup.service,
    encode: (payload) => payload,
    onDown: (reason) => current?.sessions.close('service-down', `the service is down: ${reason}`),
  })
  const subjects = subjectsOf(setup.service)
  const config = { ...setup, clock, subjects, priceClock, topics, depth, price, listener, sent }

  const connect = (): void => {
    link.use({
      onConnected: (connection) => {
        current = new GatewayConnection(connection, config)
        started.resolve(undefined)
      },
      onLost: (reason) => {
        current?.close('nats-lost', reason)
        current = undefined
        connect()
      },
    })
  }

  let closing: Promise<void> | undefined
  let unregister = (): void => undefined
  const shutDown = async (): Promise<void> => {
    unregister()
    removeSource()
    current?.close('closing', 'the gateway is closing')
    current = undefined
    priceClock.close()
    topics.close()
    depth.close()
    price.close()
    await link.close()
  }
  const close = (): Promise<void> => (closing ??= shutDown())

  const removeSource = addSource((collector) =>
    collector.gateway({
      host: link.host,
      isUp: topics.upstream.isUp,
      consumers: current?.sessions.size ?? 0,
      topics: topics.demand.size,
      sentBytes: sent.pending,
      // They wait in the NATS server.
      bufferedBytes: 0,
      // A session that is behind is ended.
      behindConsumers: 0,
      droppedPrices: 0,
    }),
  )
  connect()
  const timer = delay(clock, startTimeout, () => started.resolve(undefined))
  await started.promise
  timer.unsubscribe()
  if (setup.signal !== undefined) unregister = onAbort(setup.signal, () => void close())

  return {
    inspect: () => ({
      upstream: topics.upstream.status,
      isConnected: current !== undefined,
      sessions: current?.sessions.size ?? 0,
      topics: topics.demand.snapshot(),
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}
