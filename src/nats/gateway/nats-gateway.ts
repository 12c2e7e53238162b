/// <reference lib="esnext.disposable" preserve="true" />
import type { ConnectionStatus } from '../../domain/status.js'
import type { GatewayTopicSnapshot } from '../../gateway/gateway.js'

/** The state of a NATS gateway as plain JSON data for a log, without secrets. */
export interface NatsGatewaySnapshot {
  /** State of the connection to the service. */
  readonly upstream: ConnectionStatus
  /** True while the gateway is connected to a NATS server. */
  readonly isConnected: boolean
  /** Number of sessions of consumers. */
  readonly sessions: number
  readonly topics: readonly GatewayTopicSnapshot[]
}

/** A running gateway on NATS. */
export interface NatsGateway {
  /** State of both connections, of the sessions and of each topic, as plain data for a log. */
  readonly inspect: () => NatsGatewaySnapshot
  /**
   * Ends all sessions and the connection to NATS. Does not close the client that the gateway was started with. Idempotent.
   */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
