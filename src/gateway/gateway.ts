/// <reference lib="esnext.disposable" preserve="true" />
import type { ConnectionStatus } from '../base/domain/snapshot.js'

/**
 * A running gateway. Its addresses are options of a client: `createClient({ environment: 'mainnet', ...gateway })`. If
 * the gateway has `keys`, the client needs one of these keys as `authKey`.
 */
export interface Gateway {
  /** Address of depth, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  /** Address of prices over HTTP; equal to `baseUrl`. */
  readonly priceBaseUrl: string
  /** Address of prices over WebSocket, such as `ws://127.0.0.1:8080`. */
  readonly priceWsUrl: string
  /** True if depth requests need no signature. */
  readonly unsigned: boolean
  /** Name of the service: prefix of topics and of signed headers. */
  readonly service: string
  /** State of the connection to the service, of the consumers' connections and of each topic, as plain data for a log. */
  readonly inspect: () => GatewaySnapshot
  /** Ends all connections. Resolves when the port is free. Does not close the client of the gateway. Idempotent. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** A gateway without `keys`. */
export interface UnsignedGateway extends Gateway {
  readonly unsigned: true
}

/** A gateway with `keys`: depth requests must be signed with one of these keys. */
export interface SignedGateway extends Gateway {
  readonly unsigned: false
}

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
  /**
   * False if the age of prices has no upper bound: the service answers no probes, or the client is a replay or a test client.
   * The gateway then answers pings of consumers at once.
   */
  readonly ageBounded: boolean
  /** Number of open WebSocket connections of consumers. */
  readonly connections: number
  /** Number of connections that are behind: their consumers read too slowly, and get the newest price instead of every price. */
  readonly behindConnections: number
  /**
   * Number of prices since the start of the gateway that were dropped for connections that were behind. A newer price
   * replaced such a price, or its topic was no longer live.
   */
  readonly droppedPrices: number
  readonly topics: readonly GatewayTopicSnapshot[]
  /** `undefined` if the gateway has no history. */
  readonly history: GatewayHistorySnapshot | undefined
}

/** What a gateway has recorded since its start. */
export interface GatewayHistorySnapshot {
  readonly folder: string
  /** Number of rows: prices, and the errors and ends of streams. */
  readonly rows: number
  /** Size of these rows, in bytes. */
  readonly bytes: number
  /** Why rows cannot be written; `undefined` without a failure. */
  readonly failure: GatewayHistoryFailure | undefined
}

export interface GatewayHistoryFailure {
  readonly message: string
  /** Code of the operating system, such as `ENOSPC`, if there is one. */
  readonly code: string | undefined
  /** When the failure began, in ms since the Unix epoch. */
  readonly since: number
}

/** The gateway cannot listen on its address, or cannot use the folder of its history. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'

  constructor(
    /** Name of the option: `host`, `port` or `history.folder`. */
    readonly option: string,
    /** Description of the problem and of its solution. */
    readonly problem: string,
    /** Error of the operating system, if there is one. */
    cause: Error,
  ) {
    super(`${option}: ${problem}`, { cause })
  }
}
