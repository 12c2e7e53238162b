import type { ConnectionStatus } from '../domain/status.js'

/**
 * `waiting`: the service has not answered yet. `live`: the last price is current. `stale`: no current price. `rejected`:
 * the service does not support the topic. `down`: the connection to the service is down.
 */
export type GatewayTopicState = 'waiting' | 'live' | 'stale' | 'rejected' | 'down'

export interface GatewayTopicSnapshot {
  /** The topic as it is requested from the service. */
  readonly topic: string
  /** Number of connections that want the topic. */
  readonly consumers: number
  readonly state: GatewayTopicState
}

/** The state of a gateway as plain JSON data for a log, without secrets. */
export interface GatewaySnapshot {
  /** State of the connection to the service. */
  readonly upstream: ConnectionStatus
  /** Number of open WebSocket connections of consumers. */
  readonly connections: number
  /** Number of these connections that are behind: they read too slowly, and get the newest price instead of every price. */
  readonly behindConnections: number
  /**
   * Number of prices since the start of the gateway that were not sent to a connection that was behind, because a newer one
   * replaced them or their topic was no longer live.
   */
  readonly droppedPrices: number
  readonly topics: readonly GatewayTopicSnapshot[]
}
