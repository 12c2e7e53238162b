import { firstValueFrom, race, Subscription } from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { PriceFeed } from '../../client/price-feed.js'
import { priceFeedOf } from '../server/client-feed.js'
import { drainingFrame } from '../../wire/codec/price-frame.js'
import type { GatewayState } from '../../base/diagnostics/collector.js'
import { isDown } from '../../base/domain/snapshot.js'
import { deferred } from '../../base/task/deferred.js'
import { delay, delay$ } from '../../base/time/timers.js'
import type { GatewaySnapshot } from '../gateway.js'
import type { GatewaySetup } from '../options.js'
import type { HealthState } from '../http/health.js'
import { closingReason, Sessions, type SessionsConfig } from '../subscriptions/sessions.js'
import { serviceIsDown } from '../subscriptions/upstream.js'
import { CheckTimer } from './check-timer.js'
import { Connection, type ConnectionConfig } from './connection.js'
import { Outbox } from './outbox.js'
import { asciiFrame, type ConsumerStream, type ConsumerWebSocket } from './text-frame.js'

type WebSocketFrontConfig = Pick<GatewaySetup, 'maxBufferedBytes'> &
  Omit<SessionsConfig<Connection>, 'noun' | 'isDown' | 'encode' | 'send' | 'sendUndecodable'>

/** Serves the live prices of a client over WebSockets, by the protocol of the service. */
export class WebSocketFront {
  private readonly sessions: Sessions<Connection>
  private readonly connections: ReadonlySet<Connection>
  private readonly feed: PriceFeed
  private readonly measuring: Subscription
  private readonly checks: CheckTimer
  private readonly connectionConfig: ConnectionConfig
  private endedDroppedPrices = 0
  /** `undefined` while consumers are accepted. */
  private draining: Subscription | undefined
  private readonly allClosed = deferred<undefined>()

  constructor(
    client: PriceClient,
    private readonly config: WebSocketFrontConfig,
  ) {
    const { clock, report } = config
    this.feed = priceFeedOf(client)
    this.sessions = new Sessions<Connection>(client, {
      ...config,
      noun: 'connection',
      // While the client is behind, the answers to pings are held instead: consumers measure the age of prices by them.
      isDown,
      encode: asciiFrame,
      send: (feed, frame) => {
        for (const connection of feed.consumers) connection.send(frame, feed)
      },
      sendUndecodable: (feed, payload) => {
        for (const connection of feed.consumers) connection.sendText(payload)
      },
    })
    this.connections = this.sessions.all
    this.checks = new CheckTimer(this.connections, clock)
    this.measuring = this.feed.measured$.subscribe(() => {
      for (const connection of this.connections) connection.onMeasured()
    })
    this.connectionConfig = {
      sessions: this.sessions,
      feed: this.feed,
      outbox: new Outbox(),
      maxBufferedBytes: config.maxBufferedBytes,
      now: this.checks.now,
      report,
    }
  }

  /** Why a further consumer is refused, as a word and as a text; `undefined` if it is accepted. */
  refusal(): { readonly word: string; readonly text: string } | undefined {
    const { draining, sessions } = this
    if (draining !== undefined) return { word: 'closing', text: closingReason }
    if (!sessions.upstream.isUp) return { word: 'service-down', text: serviceIsDown }
    const { fullReason } = sessions
    return fullReason === undefined ? undefined : { word: 'full', text: fullReason }
  }

  /** The caller passes the events of the WebSocket on. `pausedMs`: the time in which the socket was not read, in ms. */
  accept(webSocket: ConsumerWebSocket, socket: ConsumerStream, pausedMs: () => number = () => 0): Connection {
    const connection = new Connection(webSocket, socket, this.connectionConfig, pausedMs)
    this.sessions.onOpened(connection)
    this.checks.start()
    connection.check()
    return connection
  }

  /** The WebSocket of a connection is closed. Called once. */
  onClosed(connection: Connection): void {
    connection.onClosed()
    this.endedDroppedPrices += connection.droppedPrices
    this.sessions.onEnded(connection, connection.endCause, connection.sentBytes)
    this.resolveIfEmpty()
  }

  health(): Omit<HealthState, 'history'> {
    const { upstream } = this.sessions
    return {
      isUp: upstream.isUp,
      refusal: this.refusal()?.word,
      upstream: upstream.status,
      ageBounded: this.feed.isBounded(),
      counts: { connections: this.connections.size, topics: this.sessions.topicCount },
    }
  }

  load(): Omit<GatewayState, 'host'> {
    return {
      ...this.sessions.load,
      sentBytes: this.sum(({ sentBytes }) => sentBytes),
      bufferedBytes: this.sum(({ unsentBytes }) => unsentBytes),
      behindConsumers: this.behindConnections,
      droppedPrices: this.droppedPrices,
    }
  }

  inspect(): Omit<GatewaySnapshot, 'history'> {
    const { upstream } = this.sessions
    return {
      upstream: upstream.status,
      ageBounded: this.feed.isBounded(),
      connections: this.connections.size,
      behindConnections: this.behindConnections,
      droppedPrices: this.droppedPrices,
      topics: this.sessions.topics(),
    }
  }

  /** Ends the connections one after the other: consumers must not all reconnect at once. Resolves when none is open, or after `ms`. */
  drain(ms: number): Promise<void> {
    const { clock } = this.config
    const ended = (this.draining = new Subscription())
    const remaining = [...this.connections]
    remaining.forEach((connection, index) => {
      connection.sendText(drainingFrame)
      const dueAt = (ms * (index + 1)) / (remaining.length + 1)
      ended.add(delay(clock, dueAt, () => connection.end('closing', closingReason)))
    })
    this.resolveIfEmpty()
    return firstValueFrom(race(delay$(clock, ms), this.allClosed.promise))
  }

  /** Ends all connections and all subscriptions. Resolves when the connections are closed. */
  close(): Promise<void> {
    this.draining?.unsubscribe()
    this.draining = Subscription.EMPTY
    this.measuring.unsubscribe()
    this.checks.stop()
    this.sessions.close()
    this.resolveIfEmpty()
    return this.allClosed.promise
  }

  private resolveIfEmpty(): void {
    if (this.draining !== undefined && this.connections.size === 0) this.allClosed.resolve(undefined)
  }

  private get droppedPrices(): number {
    return this.endedDroppedPrices + this.sum(({ droppedPrices }) => droppedPrices)
  }

  private get behindConnections(): number {
    return this.sum(({ isBehind }) => Number(isBehind))
  }

  private sum(numberOf: (connection: Connection) => number): number {
    let total = 0
    for (const connection of this.connections) total += numberOf(connection)
    return total
  }
}
