import { isLeft } from 'fp-ts/lib/Either.js'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { PriceClient } from '../../client/client.js'
import { decodeClientMessage } from '../../codec/client-message.js'
import type { GatewayState } from '../../diagnostics/collector.js'
import { refuseUpgrade } from '../../server/http-response.js'
import { withoutQuery } from '../../server/request.js'
import { WebSocketServer } from '../../transport/ws/web-socket-server.js'
import type { GatewaySnapshot } from '../gateway.js'
import type { HealthState } from '../http/health.js'
import { Sessions, type SessionsConfig } from '../sessions/sessions.js'
import { Connection } from './connection.js'
import { Outbox } from './outbox.js'
import { PingTimer } from './ping-timer.js'
import { asciiFrame } from './text-frame.js'

/** The options of a gateway that its WebSockets need, checked and completed by their defaults. */
interface WebSocketFrontConfig extends Omit<SessionsConfig<Connection>, 'noun' | 'encode' | 'send'> {
  /** Number of unsent bytes, not counting prices, above which a connection is closed with 1013. */
  readonly maxBufferedBytes: number
}

/** The WebSockets of a gateway: its consumers' topics, and the prices that are passed on to them. */
interface WebSocketFront {
  /** Handles an upgrade request that has passed the access checks. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  readonly health: () => Omit<HealthState, 'history'>
  /** The state of the consumers' connections, for collectors. */
  readonly load: () => Omit<GatewayState, 'host'>
  readonly inspect: () => Omit<GatewaySnapshot, 'history'>
  /** Ends all connections and all subscriptions. Idempotent. */
  readonly close: () => void
}

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 16 * 1024

/** Serves the live prices of a client over WebSockets, by the protocol of the service. */
export const createWebSocketFront = (client: PriceClient, config: WebSocketFrontConfig): WebSocketFront => {
  const { clock, publish, ownHost } = config
  const sessions = new Sessions<Connection>(client, {
    ...config,
    noun: 'connection',
    encode: asciiFrame,
    send: (feed, frame) => {
      for (const connection of feed.consumers) connection.send(frame, feed)
    },
  })
  const { upstream, demand, all: connections } = sessions
  const outbox = new Outbox()
  const pings = new PingTimer(connections, clock)
  let endedDroppedPrices = 0
  const upgrader = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
  })

  const refuse = (socket: Duplex, status: number, reason: string): void => {
    sessions.onRefused(status)
    refuseUpgrade(socket, status, reason)
  }

  const accept = (webSocket: WebSocket, socket: Duplex): void => {
    const connection = new Connection(webSocket, socket, {
      ...config,
      outbox,
      now: pings.now,
      leaveTopics: () => sessions.leaveTopics(connection),
      onBehind: () => publish('svc-streams:gateway-behind', () => ({ host: ownHost() })),
      onCaughtUp: (behindForMs, dropped) =>
        publish('svc-streams:gateway-caught-up', () => ({ host: ownHost(), behindForMs, dropped })),
    })
    sessions.onOpened(connection)
    pings.start()
    connection.open()
    webSocket.on('message', (data: RawData, isBinary) => {
      connection.onMessage()
      if (isBinary) connection.sendText('Invalid request: expected a text frame')
      else handleMessage(sessions, connection, (data as Buffer).toString())
    })
    webSocket.on('ping', (payload) => connection.onPing(payload))
    webSocket.on('pong', (payload) => connection.onPong(payload.toString()))
    // `ws` closes the connection after an error, such as a frame that violates the protocol.
    webSocket.on('error', () => undefined)
    webSocket.on('close', () => {
      connection.onClosed()
      endedDroppedPrices += connection.droppedPrices
      sessions.onEnded(connection, connection.endCause, connection.sentBytes)
    })
  }

  const sum = (numberOf: (connection: Connection) => number): number =>
    Array.from(connections, numberOf).reduce((total, number) => total + number, 0)
  const droppedPrices = (): number => endedDroppedPrices + sum(({ droppedPrices: dropped }) => dropped)
  const behindConnections = (): number => sum(({ isBehind }) => Number(isBehind))

  return {
    upgrade: (request, socket, head) => {
      if (withoutQuery(request.url ?? '') !== '/') return refuse(socket, 404, 'expected the path /')
      // Node 26 accepts a body of any length, and delays all frames until its end.
      if (hasBody(request)) return refuse(socket, 400, 'expected no body')
      const reason = upstream.isUp ? sessions.fullReason : 'the service is down'
      if (reason !== undefined) return refuse(socket, 503, reason)
      upgrader.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, socket))
    },
    health: () => ({
      isUp: upstream.isUp,
      refusal: upstream.isUp ? sessions.fullReason && 'full' : 'service-down',
      upstream: upstream.status,
      counts: { connections: connections.size, topics: demand.size },
    }),
    load: () => ({
      ...sessions.load,
      sentBytes: sum(({ sentBytes }) => sentBytes),
      bufferedBytes: sum(({ bufferedBytes }) => bufferedBytes),
      behindConsumers: behindConnections(),
      droppedPrices: droppedPrices(),
    }),
    inspect: () => ({
      upstream: upstream.status,
      connections: connections.size,
      behindConnections: behindConnections(),
      droppedPrices: droppedPrices(),
      topics: demand.snapshot(),
    }),
    close: () => {
      pings.stop()
      sessions.close()
    },
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Handles a text message of a consumer. Every message is answered. */
export const handleMessage = (sessions: Sessions<Connection>, connection: Connection, text: string): void => {
  const decoded = decodeClientMessage(text)
  if (isLeft(decoded)) return connection.sendText(`Invalid request: ${decoded.left.message}`)
  const { method, topic } = decoded.right
  const parsed = sessions.topicOf(topic)
  if (isLeft(parsed)) return connection.sendText(parsed.left)
  if (method === 'subscribe') return sessions.subscribe(connection, parsed.right)
  sessions.unsubscribe(connection, parsed.right)
  connection.confirmRest()
}
