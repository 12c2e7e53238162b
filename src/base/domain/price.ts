import type { Topic } from './topic.js'

/** The execution price of one base token (section 2.2 of the service's documentation). */
export interface Price {
  /** The topic as the caller wrote it. */
  readonly topic: Topic
  /** USD for one base token, finite and above zero. */
  readonly price: number
  /**
   * Time of receipt by this client, in ms since the Unix epoch. It may be earlier for two kinds of prices: for the first price of
   * a topic from a gateway, it is the time of receipt by the gateway; for a price that was held, because it may be older than
   * `maxLag`, the earliest time at which the service may have sent it.
   */
  readonly receivedAt: number
  /**
   * Number of the connection that delivered it, from 1. If this number changes between two prices of a topic, updates
   * may have been missed. 0 for a price fetched over HTTP.
   */
  readonly epoch: number
}
