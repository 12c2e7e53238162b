/** Snapshot of an open WebSocket connection. */
export interface ConnectionView {
  /** Number of the connection, from 1, counted over all connections of the simulator. */
  readonly id: number
  /** Path and query of the upgrade request. */
  readonly path: string
  /** Subscribed topics, spelled as the client spelled them, in the order of their subscriptions. */
  readonly topics: readonly string[]
  /** Number of pings received. */
  readonly pings: number
}
