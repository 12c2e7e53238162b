/// <reference lib="esnext.disposable" preserve="true" />
import { filter, firstValueFrom, race } from 'rxjs'
import { countOption, timerOption } from '../../base/option-kinds/number-option.js'
import type { OptionTable, Signal } from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import { checkClient, serviceOption, signalOption } from '../../client/options.js'
import type { PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../gateway/server/client-feed.js'
import { behindMsOf, isDown, type ConnectionStatus } from '../../base/domain/snapshot.js'
import type { GatewayTopicSnapshot } from '../../gateway/gateway.js'
import { createRelays } from '../../gateway/coalescing/relays.js'
import { reporterOf } from '../../gateway/server/report.js'
import { Sessions } from '../../gateway/subscriptions/sessions.js'
import { node } from '../../wire/platform/node.js'
import { closeOnce } from '../../base/task/close-once.js'
import { currentClock } from '../../base/time/clock.js'
import { delay$ } from '../../base/time/timers.js'
import { connectionNames, parseConnection, type NatsOptions } from '../options.js'
import type { OpenTcpSocket } from '../connection/tcp-transport.js'
import { NatsLink } from '../connection/nats-link.js'
import { subjectsOf } from '../subjects.js'
import { GatewayConnection } from './gateway-connection.js'
import type { Lease } from './lease.js'
import { PriceClock } from './price-clock.js'

/** Why a gateway cannot serve on NATS. */
export interface NatsGatewayFailure {
  /** The text of the server, such as a missing permission for a subject. */
  readonly message: string
  /** When the failure began, in ms since the Unix epoch. */
  readonly since: number
}

/** The state of a NATS gateway as plain JSON data for a log, without secrets. */
export interface NatsGatewaySnapshot {
  /** State of the connection to the service. */
  readonly upstream: ConnectionStatus
  /** False if the age of prices has no upper bound: the service answers no probes, or the client is a replay or a test client. */
  readonly ageBounded: boolean
  /** True while the gateway is connected to a NATS server. */
  readonly isConnected: boolean
  /** Why the NATS server refuses messages of the gateway, such as a missing permission; `undefined` if it does not. */
  readonly failure: NatsGatewayFailure | undefined
  /** Number of sessions of consumers. */
  readonly sessions: number
  readonly topics: readonly GatewayTopicSnapshot[]
}

/** A running gateway on NATS. */
export interface NatsGateway {
  /** State of both connections, of the sessions and of each topic, as plain data for a log. */
  readonly inspect: () => NatsGatewaySnapshot
  /** Ends all sessions and the connection to NATS. Does not close the client of the gateway. Idempotent. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Maximum time that the start waits for NATS, in ms. After this time the gateway starts without NATS. */
const startTimeout = 2_000

/**
 * Serves a client to all `natsClient`s of the same NATS cluster. Several gateways may run: each consumer uses one of
 * them, and the others stand by. If no NATS server is reachable, the gateway starts and continues to dial.
 *
 * Rejects with a `ConfigurationError` if the client or an option is invalid or a package is missing. Rejects with the
 * signal's reason if the signal is aborted. Closing the gateway does not close the client.
 *
 * @example
 * const gateway = await startNatsGateway(client, { servers: 'nats://127.0.0.1:4222' })
 */
export const startNatsGateway = (client: PriceClient, options: NatsGatewayOptions): Promise<NatsGateway> =>
  startNatsGatewayOver(client, options)

/**
 * `openSocket`: Node's by default.
 *
 * @internal
 */
export const startNatsGatewayOver = async (
  client: PriceClient,
  options: NatsGatewayOptions,
  openSocket?: OpenTcpSocket,
): Promise<NatsGateway> => {
  checkClient(client)
  const setup = parseOptions(gatewayTable, options, { otherNames: Object.keys(connectionNames) })
  setup.signal?.throwIfAborted()
  const clock = currentClock()
  const feed = priceFeedOf(client)
  const link = new NatsLink(parseConnection(options), clock, openSocket)
  const { host } = link.parsed
  const priceClock = new PriceClock(clock, feed)
  const report = reporterOf(node.publish, () => host)
  const shared = { ...setup, clock, report }
  const relays = createRelays(client, shared)
  let current: GatewayConnection | undefined

  const subjects = subjectsOf(setup.service)
  const sessions: Sessions<Lease> = new Sessions<Lease>(client, {
    ...shared,
    noun: 'session',
    // Consumers then change to another gateway, whose connection to the service may not be behind.
    isDown: (status) => isDown(status) || behindMsOf(status) !== undefined,
    encode: (payload) => payload,
    send: (feed, frame) => current?.publisher.publishPrice(feed, frame),
    sendUndecodable: (feed, payload) => current?.publisher.publishPrice(feed, payload),
  })
  const { upstream } = sessions

  let failure: NatsGatewayFailure | undefined
  /** The server reports a missing permission only after what it refuses. */
  let isRefused = false
  const setFailure = (next: NatsGatewayFailure | undefined): void => {
    failure = next
    report('svc-streams:gateway-nats', { problem: next?.message })
  }
  link.refusal$.subscribe(({ subject, message }) => {
    // A consumer chooses the subject of its answers: one that is forbidden must not make the gateway unhealthy.
    if (subjects.isInbox(subject) && !subject.startsWith('_INBOX.')) return
    isRefused = true
    if (failure === undefined) setFailure({ message, since: clock.wallClock() })
  })
  const onTry = (): void => {
    if (!isRefused && failure !== undefined) setFailure(undefined)
    isRefused = false
  }

  const config = { clock, subjects, priceClock, feed, sessions, relays, report, onTry }
  const uses = link.connection$.subscribe((connection) => {
    if (current !== undefined)
      sessions.endAll('nats-lost', `the connection to NATS is lost${link.problemText}`)
    current?.close()
    current = connection && new GatewayConnection(connection, config)
  })

  const { close, closeOnAbort } = closeOnce(async () => {
    removeSource()
    sessions.close()
    uses.unsubscribe()
    current?.close()
    current = undefined
    priceClock.close()
    relays.close()
    await link.close()
  })

  const removeSource = node.addSource((collector) =>
    collector.gateway({
      host,
      ...sessions.load,
      isUp: upstream.isUp && failure === undefined,
      sentBytes: current?.publisher.sentBytes ?? 0,
      // Waiting frames are in the NATS server.
      bufferedBytes: 0,
      // A session that is behind ends: none is open.
      behindConsumers: 0,
      droppedPrices: 0,
    }),
  )
  const connected$ = link.connection$.pipe(filter((connection) => connection !== undefined))
  await firstValueFrom(race(connected$, delay$(clock, startTimeout)))
  closeOnAbort(setup.signal)

  return {
    inspect: () => ({
      upstream: upstream.status,
      ageBounded: feed.isBounded(),
      isConnected: current !== undefined,
      failure,
      sessions: sessions.all.size,
      topics: sessions.topics(),
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

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

const gatewayTable = {
  service: serviceOption,
  maxConnections: countOption({ default: 10_000 }),
  maxTopicsPerConnection: countOption({ default: 5_000 }),
  depthEvery: timerOption({ default: 250 }),
  signal: signalOption,
} satisfies OptionTable<Omit<NatsGatewayOptions, keyof NatsOptions>>
