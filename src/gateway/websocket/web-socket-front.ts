import { isLeft, left } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { drainingFrame } from '../../wire/codec/price-frame.js'
import { decodeClientMessage } from './client-message.js'
import type { GatewayState } from '../../base/diagnostics/collector.js'
import { isDown } from '../../base/domain/status.js'
import { deferred } from '../../base/task/deferred.js'
import { delay } from '../../base/time/deadline.js'
import type { GatewaySnapshot } from '../gateway.js'
import type { HealthState } from '../http/health.js'
import { closingReason, Sessions, type EndCause, type SessionsConfig } from '../subscriptions/sessions.js'
import { serviceIsDown } from '../subscriptions/upstream.js'
import { Connection } from './connection.js'
import { Outbox } from './outbox.js'
import { PingTimer } from './ping-timer.js'
import { asciiFrame, type ConsumerStream, type ConsumerWebSocket } from './text-frame.js'

/** The options of a gateway that its WebSockets need, checked and completed by their defaults. */
export interface WebSocketFrontConfig extends Omit<
  SessionsConfig<Connection>,
  'noun' | 'isDown' | 'encode' | 'send' | 'sendUndecodable'
> {
  /** Number of unsent bytes, not counting prices, above which a connection is closed with 1013. */
  readonly maxBufferedBytes: number
}

/** Receives the events of the WebSocket of one consumer. */
export interface ConsumerListener {
  /** Returns true if the service is asked for a further topic. */
  readonly onText: (text: string) => boolean
  readonly onBinary: () => void
  readonly onPing: (payload: Buffer) => void
  readonly onPong: (payload: string) => void
  readonly end: (cause: EndCause, reason: string) => void
  /** Called once, after all other methods. */
  readonly onClosed: () => void
}

/** The WebSockets of a gateway: the topics of its consumers, and the prices that are sent to them. */
export interface WebSocketFront {
  /** Why a further consumer is refused; `undefined` if it is accepted. */
  readonly refusal: () => string | undefined
  /** A consumer was refused with this HTTP status. */
  readonly onRefused: (status: number) => void
  /**
   * Serves a consumer whose WebSocket is open. `socket`: the underlying socket. `pausedMs`: the time in which it was not
   * read, in ms.
   */
  readonly accept: (
    webSocket: ConsumerWebSocket,
    socket: ConsumerStream,
    pausedMs?: () => number,
  ) => ConsumerListener
  readonly health: () => Omit<HealthState, 'depth' | 'history'>
  /** The state of the consumers' connections, for collectors. */
  readonly load: () => Omit<GatewayState, 'host'>
  readonly inspect: () => Omit<GatewaySnapshot, 'depth' | 'history'>
  /**
   * Refuses further consumers, announces the end to the others, and ends their connections one after the other within `ms`, so
   * that they do not reconnect at one time. Resolves when none is open, at the latest after `ms`.
   */
  readonly drain: (ms: number) => Promise<void>
  /** Ends all connections and all subscriptions. Resolves when the connections are closed. */
  readonly close: () => Promise<void>
}

/** Serves the live prices of a client over WebSockets, by the protocol of the service. */
export const createWebSocketFront = (client: PriceClient, config: WebSocketFrontConfig): WebSocketFront => {
  const { clock, publish, ownHost } = config
  const sessions = new Sessions<Connection>(client, {
    ...config,
    noun: 'connection',
    // While the client is behind, the answers to pings are held, because consumers measure the age of prices by these
    // answers.
    isDown,
    encode: asciiFrame,
    send: (feed, frame) => {
      for (const connection of feed.consumers) connection.send(frame, feed)
    },
    sendUndecodable: (feed, payload) => {
      for (const connection of feed.consumers) connection.sendText(payload)
    },
  })
  const { upstream, demand, all: connections } = sessions
  const { isUpToDate, requestProbe, measured$, isBounded } = priceFeedOf(client)
  const measuring = measured$.subscribe(() => {
    for (const connection of connections) connection.onMeasured()
  })
  const outbox = new Outbox()
  const pings = new PingTimer(connections, clock)
  let endedDroppedPrices = 0
  /** `undefined` while consumers are accepted. */
  let draining: Subscription | undefined
  const drained = deferred<undefined>()
  const allClosed = deferred<undefined>()
  const resolveIfEmpty = (): void => {
    if (draining === undefined || connections.size > 0) return
    drained.resolve(undefined)
    allClosed.resolve(undefined)
  }

  const accept: WebSocketFront['accept'] = (webSocket, socket, pausedMs = () => 0) => {
    const connection = new Connection(webSocket, socket, {
      ...config,
      outbox,
      now: pings.now,
      pausedMs,
      isUpToDate,
      isBounded,
      requestProbe,
      leaveTopics: () => sessions.leaveTopics(connection),
      onBehind: () => publish('svc-streams:gateway-behind', () => ({ host: ownHost() })),
      onCaughtUp: (behindForMs, dropped) =>
        publish('svc-streams:gateway-caught-up', () => ({ host: ownHost(), behindForMs, dropped })),
    })
    sessions.onOpened(connection)
    pings.start()
    connection.open()
    return {
      onText: (text) => {
        if (connection.socket.isEnding) return false
        connection.onMessage()
        return handleMessage(sessions, connection, text)
      },
      onBinary: () => {
        connection.onMessage()
        connection.sendText('Invalid request: expected a text frame')
      },
      onPing: (payload) => connection.onPing(payload),
      onPong: (payload) => connection.onPong(payload),
      end: connection.end,
      onClosed: () => {
        connection.onClosed()
        endedDroppedPrices += connection.droppedPrices
        sessions.onEnded(connection, connection.socket.endCause, connection.socket.sentBytes)
        resolveIfEmpty()
      },
    }
  }

  /** Why a further consumer is refused, as a word and as a text. */
  const refusal = (): readonly [word: string, text: string] | undefined => {
    if (draining !== undefined) return ['closing', closingReason]
    if (!upstream.isUp) return ['service-down', serviceIsDown]
    const { fullReason } = sessions
    return fullReason === undefined ? undefined : ['full', fullReason]
  }

  const sum = (numberOf: (connection: Connection) => number): number =>
    Array.from(connections, numberOf).reduce((total, number) => total + number, 0)
  const droppedPrices = (): number => endedDroppedPrices + sum(({ droppedPrices: dropped }) => dropped)
  const behindConnections = (): number => sum(({ isBehind }) => Number(isBehind))

  return {
    refusal: () => refusal()?.[1],
    onRefused: (status) => sessions.onRefused(status),
    accept,
    health: () => ({
      isUp: upstream.isUp,
      refusal: refusal()?.[0],
      upstream: upstream.status,
      ageBounded: isBounded(),
      counts: { connections: connections.size, topics: demand.size },
    }),
    load: () => ({
      ...sessions.load,
      sentBytes: sum(({ socket }) => socket.sentBytes),
      bufferedBytes: sum(({ socket }) => socket.unsentBytes),
      behindConsumers: behindConnections(),
      droppedPrices: droppedPrices(),
    }),
    inspect: () => ({
      upstream: upstream.status,
      ageBounded: isBounded(),
      connections: connections.size,
      behindConnections: behindConnections(),
      droppedPrices: droppedPrices(),
      topics: demand.snapshot(),
    }),
    drain: (ms) => {
      const ended = (draining = new Subscription())
      const remaining = [...connections]
      remaining.forEach((connection, index) => {
        connection.sendText(drainingFrame)
        const dueAt = (ms * (index + 1)) / (remaining.length + 1)
        ended.add(delay(clock, dueAt, () => connection.end('closing', closingReason)))
      })
      ended.add(delay(clock, ms, () => drained.resolve(undefined)))
      resolveIfEmpty()
      return drained.promise
    },
    close: () => {
      draining?.unsubscribe()
      draining = Subscription.EMPTY
      measuring.unsubscribe()
      pings.stop()
      sessions.close()
      resolveIfEmpty()
      return allClosed.promise
    },
  }
}

/** Handles a text message of a consumer. Every message is answered. Returns true if the service is asked for a topic. */
export const handleMessage = (
  sessions: Sessions<Connection>,
  connection: Connection,
  text: string,
): boolean => {
  const decoded = decodeClientMessage(text)
  const method = isLeft(decoded) ? undefined : decoded.right.method
  const topic = isLeft(decoded)
    ? left(`Invalid request: ${decoded.left.message}`)
    : sessions.topicOf(decoded.right.topic)
  if (isLeft(topic)) connection.sendText(topic.left)
  else if (method === 'subscribe') return sessions.subscribe(connection, topic.right)
  else {
    sessions.unsubscribe(connection, topic.right)
    connection.confirm()
  }
  return false
}
