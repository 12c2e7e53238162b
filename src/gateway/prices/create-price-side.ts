import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { PriceClient } from '../../client/client.js'
import { WebSocketServer } from '../../transport/ws/web-socket-server.js'
import { createUpstreamTopics } from '../demand/upstream-topics.js'
import { Outbox } from './outbox.js'
import { PingTimer } from './ping-timer.js'
import { refuseUpgrade } from '../../server/http-response.js'
import { Session } from './session.js'
import { asciiFrame, type TextFrame } from './text-frame.js'
import type { GatewayState } from '../../diagnostics/collector.js'
import type { Publish } from '../../diagnostics/messages.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { Clock } from '../../time/clock.js'
import type { GatewaySnapshot } from '../gateway-snapshot.js'
import type { HealthState } from '../http/health.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeClientMessage } from '../../codec/client-message.js'
import { canonicalAddress } from '../../domain/address.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import type { Demand } from '../demand/demand.js'
import { requestedTopic } from '../demand/requested-topic.js'

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 16 * 1024

/** The time from the close frame to the end of the connection, in ms. */
const closeTime = 400

/** Serves the live prices of a client over WebSockets, by the protocol of the service. */
export const createPriceSide = (client: PriceClient, config: PriceSideConfig): PriceSide => {
  const { service, maxConnections, maxTopicsPerConnection, clock, publish, ownHost } = config
  const sessions = new Set<Session>()
  const outbox = new Outbox()
  const pings = new PingTimer(sessions, clock)
  let endedDroppedPrices = 0
  const upgrader = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
  })

  const endAll = (cause: 'service-down' | 'closing', reason: string): void => {
    for (const session of [...sessions]) session.end(cause, reason, closeTime)
  }

  const refusalTexts = {
    'service-down': 'the service is down',
    full: `the gateway has its ${maxConnections} connections`,
  }
  const refusal = () => {
    if (!upstream.isUp) return 'service-down'
    return sessions.size >= maxConnections ? 'full' : undefined
  }

  const refuse = (socket: Duplex, status: number, reason: string): void => {
    publish('svc-streams:gateway-refused', () => ({ host: ownHost(), status }))
    refuseUpgrade(socket, status, reason)
  }

  const { upstream, demand, ...topics } = createUpstreamTopics(client, {
    service,
    encode: asciiFrame,
    onDown: (reason) => endAll('service-down', `the service is down: ${reason}`),
  })

  const context: ClientMessagesContext = { demand, service, maxTopicsPerConnection }

  const accept = (webSocket: WebSocket, socket: Duplex): void => {
    const session = new Session(webSocket, socket, {
      ...config,
      outbox,
      now: pings.now,
      onLeft: (feed) => demand.releaseUnwanted(feed),
      onBehind: () => publish('svc-streams:gateway-behind', () => ({ host: ownHost() })),
      onCaughtUp: (behindForMs, dropped) =>
        publish('svc-streams:gateway-caught-up', () => ({ host: ownHost(), behindForMs, dropped })),
    })
    sessions.add(session)
    pings.start()
    session.open()
    publish('svc-streams:gateway-connected', () => ({ host: ownHost() }))
    webSocket.on('message', (data: RawData, isBinary) => {
      session.onMessage()
      if (isBinary) session.sendText('Invalid request: expected a text frame')
      else handleMessage(context, session, (data as Buffer).toString())
    })
    webSocket.on('ping', (payload) => session.onPing(payload))
    webSocket.on('pong', (payload) => session.onPong(payload.toString()))
    // `ws` closes the connection after an error, such as a frame that violates the protocol.
    webSocket.on('error', () => undefined)
    webSocket.on('close', () => {
      sessions.delete(session)
      session.onClosed()
      endedDroppedPrices += session.droppedPrices
      const { endCause: cause, sentBytes: bytes } = session
      publish('svc-streams:gateway-disconnected', () => ({ host: ownHost(), cause, bytes }))
    })
  }

  const droppedPrices = (): number =>
    endedDroppedPrices + sum([...sessions], (session) => session.droppedPrices)
  const behindConnections = (): number => sum([...sessions], ({ isBehind }) => Number(isBehind))

  return {
    upgrade: (request, socket, head) => {
      if (pathOf(request) !== '/') return refuse(socket, 404, 'expected the path /')
      // Node 26 accepts a body of any length, and delays all frames until its end.
      if (hasBody(request)) return refuse(socket, 400, 'expected no body')
      const refused = refusal()
      if (refused !== undefined) return refuse(socket, 503, refusalTexts[refused])
      upgrader.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, socket))
    },
    health: () => ({
      isUp: upstream.isUp,
      refusal: refusal(),
      upstream: upstream.status,
      counts: { connections: sessions.size, topics: demand.size },
    }),
    upstream: () => upstream.status,
    load: () => ({
      isUp: upstream.isUp,
      consumers: sessions.size,
      topics: demand.size,
      sentBytes: sum([...sessions], ({ sentBytes }) => sentBytes),
      bufferedBytes: sum([...sessions], ({ bufferedBytes }) => bufferedBytes),
      behindConsumers: behindConnections(),
      droppedPrices: droppedPrices(),
    }),
    snapshot: () => ({
      connections: sessions.size,
      behindConnections: behindConnections(),
      droppedPrices: droppedPrices(),
      topics: demand.snapshot(),
    }),
    close: () => {
      pings.stop()
      endAll('closing', 'the gateway is closing')
      topics.close()
    },
  }
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?')[0] ?? ''

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const sum = <A>(items: readonly A[], numberOf: (item: A) => number): number =>
  items.reduce((total, item) => total + numberOf(item), 0)

/** The WebSocket side of a gateway: its consumers' topics, and the prices that are passed on to them. */
interface PriceSide {
  /** Handles an upgrade request that has passed the access checks. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  readonly health: () => HealthState
  /** State of the connection to the service. */
  readonly upstream: () => ConnectionStatus
  /** The state of the consumers' connections, for collectors. */
  readonly load: () => Omit<GatewayState, 'host'>
  readonly snapshot: () => Omit<GatewaySnapshot, 'upstream'>
  /** Ends all connections and all subscriptions. Idempotent. */
  readonly close: () => void
}

/** The options of a gateway that its price side needs, checked and completed by their defaults. */
interface PriceSideConfig {
  /** Name of the service: prefix of topics. */
  readonly service: string
  /** Number of WebSocket connections; further upgrades are refused. */
  readonly maxConnections: number
  /** Number of topics of one connection; a further one gets an error text. */
  readonly maxTopicsPerConnection: number
  /** Number of unsent bytes, not counting prices, above which a connection is closed with 1013. */
  readonly maxBufferedBytes: number
  readonly clock: Clock
  readonly publish: Publish
  /** Host and port of the gateway: its name in diagnostics. */
  readonly ownHost: () => string
}

interface ClientMessagesContext {
  readonly demand: Demand<TextFrame>
  /** Name of the service: prefix of topics. */
  readonly service: string
  readonly maxTopicsPerConnection: number
}

/** Handles a text message of a consumer. Every message is answered. */
export const handleMessage = (context: ClientMessagesContext, session: Session, text: string): void => {
  const decoded = decodeClientMessage(text)
  if (isLeft(decoded)) return session.sendText(`Invalid request: ${decoded.left.message}`)
  const { method, topic } = decoded.right
  const parsed = requestedTopic(topic, context.service)
  if (isLeft(parsed)) return session.sendText(parsed.left)
  if (method === 'subscribe') subscribe(context, session, parsed.right)
  else unsubscribe(context, session, parsed.right)
}

const subscribe = (
  { demand, maxTopicsPerConnection }: ClientMessagesContext,
  session: Session,
  topic: Topic,
): void => {
  const base = canonicalAddress(addressOf(topic))
  const known = session.feeds.get(base)
  if (known !== undefined) return known.answer(session)
  if (session.feeds.size >= maxTopicsPerConnection) {
    return session.sendText(
      `Invalid request: ${topic} is one topic more than the ${maxTopicsPerConnection} of a connection`,
    )
  }
  const feed = demand.feedOf(topic)
  session.addFeed(base, feed)
  feed.start()
}

const unsubscribe = ({ demand }: ClientMessagesContext, session: Session, topic: Topic): void => {
  const base = canonicalAddress(addressOf(topic))
  const feed = session.removeFeed(base)
  if (feed !== undefined) {
    feed.remove(session)
    demand.releaseUnwanted(feed)
  }
  session.confirmRest()
}
