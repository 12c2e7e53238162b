import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { GatewayState } from '../../diagnostics/collector.js'
import type { Publish } from '../../diagnostics/messages.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { Clock } from '../../time/clock.js'
import type { GatewaySnapshot } from '../gateway-snapshot.js'
import type { HealthState } from '../http/health.js'

/** The WebSocket side of a gateway: its consumers' topics, and the prices that are passed on to them. */
export interface PriceSide {
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
export interface PriceSideConfig {
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
