import type { TopicSnapshot } from '../domain/snapshot.js'

/**
 * Receives the current state of every client and gateway of the process. Publish an object with these methods on the channel
 * `svc-streams:collect`: the library calls these methods before `publish` returns. It reads no state at other times.
 *
 * @example
 * import { channel } from 'node:diagnostics_channel'
 * import type { DiagnosticsCollector } from 'svc-streams'
 * const collector: DiagnosticsCollector = {
 *   connection: ({ host, state, topics }) => console.log(host, state, topics.stale),
 *   polls: ({ host, count }) => console.log(host, count),
 *   gateway: ({ host, consumers }) => console.log(host, consumers),
 * }
 * channel('svc-streams:collect').publish(collector)
 */
export interface DiagnosticsCollector {
  /** Called for each WebSocket that has topics: it is open, or the client is opening it. */
  readonly connection: (state: ConnectionState) => void
  /** Called for each client with polls, including lingering polls. */
  readonly polls: (state: PollsState) => void
  /** Called for each gateway that runs. */
  readonly gateway: (state: GatewayState) => void
}

export interface ConnectionState {
  /** Host and port of the service. */
  readonly host: string
  /** False if it belongs to a line that stands by: it delivers no prices. */
  readonly isFront: boolean
  /** `waiting`: until the next dial, after a failure. */
  readonly state: 'connecting' | 'open' | 'waiting'
  /** Number of prices received since the connection opened. */
  readonly prices: number
  /** Number of topics in each state. */
  readonly topics: Readonly<Record<TopicSnapshot['state'], number>>
  /** The longest time since the last price of a topic with subscribers, in ms; `undefined` before the first price. */
  readonly maxPriceAgeMs: number | undefined
  /** Upper bound of the age of arriving prices, in ms: time since the newest answered ping was sent. `undefined` if unknown. */
  readonly lagMs: number | undefined
  /** True while the prices may be older than `maxLag`, and are held. */
  readonly isBehind: boolean
}

export interface PollsState {
  /** Host and port of the relayer. */
  readonly host: string
  /** Number of polls with subscribers. */
  readonly count: number
  /**
   * The longest lag of a poll with subscribers whose last request succeeded, in ms: the time of receipt of its depth minus
   * the depth's `timestamp`. `undefined` without such a poll.
   */
  readonly maxLagMs: number | undefined
}

export interface GatewayState {
  /** Host and port of the gateway, or of its NATS server. */
  readonly host: string
  /** False while the connection to the service is down. */
  readonly isUp: boolean
  /** Number of open WebSocket connections of consumers, or of their sessions on NATS. */
  readonly consumers: number
  /** Number of topics that are subscribed at the service. */
  readonly topics: number
  /** Bytes sent to the consumers that are connected now. On NATS: bytes sent since the last session of a consumer ended. */
  readonly sentBytes: number
  /** Size of the frames that wait for slow consumers, in bytes. On NATS 0: the server keeps them. */
  readonly bufferedBytes: number
  /** Number of consumers that read too slowly, and get the newest price instead of every price. On NATS 0. */
  readonly behindConsumers: number
  /** Number of prices that were dropped for consumers that were behind, since the start of the gateway. On NATS 0. */
  readonly droppedPrices: number
}

/** Adds a source of state for collectors. Returns the function that removes it. */
export type AddSource = (source: (collector: DiagnosticsCollector) => void) => () => void
