/** Violations of the invariants. */
export interface Findings {
  readonly violations: string[]
  /** Prices that arrived on an open connection, but were not delivered to a subscriber. */
  lost: number
  /** Prices that were delivered as current, but were of an earlier connection or not the latest. */
  staleAsFresh: number
  /** Prices that were delivered more than `maxLag` after the service had sent them, and after it had sent a newer one. */
  tooOld: number
}

/** Counts of what happened. */
export interface Figures {
  /** Prices that arrived. */
  prices: number
  /** Prices that were delivered to subscribers. */
  delivered: number
  disconnects: number
  stales: number
  timeouts: number
  rejections: number
  /** `Stale` with `behindMs`. */
  behind: number
  /** The longest time from the sending of a newer price to the delivery of an older one, in ms. */
  oldest: number
  decodeErrors: number
  /** Frames that the client decoded from their bytes, without `JSON.parse`. */
  fastPath: number
  connections: number
  /** The longest time from the end of a reconnect delay to the next price of a subscriber, in ms. */
  longestRecovery: number
}
