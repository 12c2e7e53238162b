import type { Address, Topic } from '../domain/topic.js'
import type {
  DecodeError,
  DepthError,
  Disconnected,
  NetworkError,
  RecordingError,
  Stale,
  SubscriptionRejected,
  SubscriptionTimeout,
  Timeout,
  UncorrelatedError,
  WriteError,
} from '../errors/model.js'

/**
 * The messages that the library publishes on Node's `diagnostics_channel`, by channel name. A message is plain data
 * without secrets, and is built only if its channel has subscribers. `host`: host and port of the service's URL, without
 * path and query. `epoch`: number of the client's connection, from 1. Times are in ms.
 *
 * @example
 * import { subscribe } from 'node:diagnostics_channel'
 * import type { DiagnosticMessages } from 'svc-streams'
 * subscribe('svc-streams:stale', (message) => {
 *   const { error } = message as DiagnosticMessages['svc-streams:stale']
 *   console.warn(error.topic, error.silentForMs)
 * })
 */
export interface DiagnosticMessages {
  /** A dial of a WebSocket begins. `attempt`: number of this dial in a series of failures, from 1. */
  readonly 'svc-streams:connecting': {
    readonly host: string
    readonly attempt: number
  }
  /** A WebSocket opened. `connectMs`: time since its dial. */
  readonly 'svc-streams:connected': {
    readonly host: string
    readonly epoch: number
    readonly connectMs: number
  }
  /**
   * A WebSocket closed after `upMs`, or a dial failed. `epoch` is undefined after a failed dial. `error` is undefined
   * if the client closed the socket, because no topic has subscribers or because the client was closed. `prices`: number
   * of prices received over this connection.
   */
  readonly 'svc-streams:disconnected': {
    readonly host: string
    readonly epoch: number | undefined
    readonly upMs: number
    readonly prices: number
    readonly error: Disconnected | undefined
  }
  /** A confirmation or a first price arrived for a topic, `confirmMs` after its `subscribe` was sent. */
  readonly 'svc-streams:subscribed': {
    readonly host: string
    readonly topic: Topic
    readonly epoch: number
    readonly confirmMs: number
  }
  /** The service rejected a topic. */
  readonly 'svc-streams:rejected': Failure<SubscriptionRejected>
  /** A `subscribe` got no response within `confirmTimeout`, and is sent again. */
  readonly 'svc-streams:unanswered': Failure<SubscriptionTimeout>
  /** A topic got no price for `staleAfter`, or its prices are behind. */
  readonly 'svc-streams:stale': Failure<Stale>
  /** A frame does not match the protocol. `topic` is undefined if the frame names no topic with subscribers. */
  readonly 'svc-streams:decode-error': {
    readonly host: string
    readonly topic: Topic | undefined
    readonly error: DecodeError
  }
  /**
   * The prices of a connection may be older than `maxLag`, and are held. `behindMs`: the upper bound of their age. `topics`:
   * number of topics that become stale.
   */
  readonly 'svc-streams:behind': {
    readonly host: string
    readonly epoch: number
    readonly behindMs: number
    readonly topics: number
  }
  /**
   * The prices of a connection are current again. `behindForMs`: time for which they were not. `topics`: number of topics whose
   * held price is delivered.
   */
  readonly 'svc-streams:caught-up': {
    readonly host: string
    readonly epoch: number
    readonly behindForMs: number
    readonly topics: number
  }
  /**
   * Another line of a client came to the front: it delivers the prices from now on. `host`: that of the new front. `previousHost`:
   * that of the front before. `switches`: how often this has happened to the client.
   */
  readonly 'svc-streams:switched': {
    readonly host: string
    readonly previousHost: string
    readonly switches: number
  }
  /** A message of the service matches no topic. Also emitted by `errors$`. */
  readonly 'svc-streams:uncorrelated': Failure<UncorrelatedError>
  /**
   * A poll's request ended. `error` is undefined on success. `failures`: consecutive failures, including this one.
   * `lagMs`: the client's time of receipt minus the service's `timestamp`, so it includes the difference of the two
   * clocks; undefined after a failure.
   */
  readonly 'svc-streams:poll': {
    readonly host: string
    readonly mint: Address
    /** Interval of the poll, in ms. */
    readonly interval: number
    readonly durationMs: number
    readonly failures: number
    readonly lagMs: number | undefined
    readonly error: DepthError | undefined
  }
  /**
   * An HTTP request ended: of a poll, of `price()` or of `depth()`. Not published if the request was aborted. `route`: the path
   * without its argument, such as `/price/{topic}`. `durationMs`: from the time at which the request was sent; time in the queue
   * does not count. `status`: undefined without a complete response. `error`: tag of the error, if the request failed.
   */
  readonly 'svc-streams:request': {
    readonly host: string
    readonly route: string
    readonly durationMs: number
    readonly status: number | undefined
    readonly error: (DecodeError | NetworkError | Timeout)['_tag'] | undefined
  }
  /**
   * The service closed a kept-alive connection without a byte of the response to a GET, which the client sends once
   * more on a new connection. Many of these messages mean that the service closes idle connections early.
   */
  readonly 'svc-streams:repeated': { readonly host: string }
  /** A consumer connected to a gateway. `host`: host and port of the gateway, or of its NATS server. */
  readonly 'svc-streams:gateway-connected': { readonly host: string }
  /**
   * The connection of a consumer to a gateway ended. `bytes`: size of the frames sent to this consumer. On NATS, a
   * price is sent once to all consumers: `bytes` is the size of all messages since the previous session ended.
   */
  readonly 'svc-streams:gateway-disconnected': {
    readonly host: string
    readonly cause: GatewayDisconnectCause
    readonly bytes: number
  }
  /** A consumer of a gateway reads too slowly. It now gets the newest price of a topic instead of every price. */
  readonly 'svc-streams:gateway-behind': { readonly host: string }
  /** A consumer of a gateway gets every price again, after `behindForMs`. `dropped`: number of prices dropped in this time. */
  readonly 'svc-streams:gateway-caught-up': {
    readonly host: string
    readonly behindForMs: number
    readonly dropped: number
  }
  /** A gateway refused the upgrade of a consumer with this HTTP status: on NATS, 503 if it has its `maxConnections`. */
  readonly 'svc-streams:gateway-refused': { readonly host: string; readonly status: number }
  /**
   * A consumer requested a depth or a price of a gateway over HTTP. `shared`: true if a request to the service for
   * another consumer is running or scheduled; its result is used for this request too.
   */
  readonly 'svc-streams:gateway-request': {
    readonly host: string
    readonly kind: 'depth' | 'price'
    readonly shared: boolean
  }
  /**
   * The history of a gateway cannot be written, for example because the disk is full. Consumers still receive prices.
   * `error`: undefined when writing succeeds again.
   */
  readonly 'svc-streams:gateway-history': {
    readonly host: string
    readonly error: WriteError | undefined
  }
  /** The NATS server refuses messages of a gateway: a permission may be missing. `problem`: undefined when it refuses none. */
  readonly 'svc-streams:gateway-nats': { readonly host: string; readonly problem: string | undefined }
  /** A consumer requested an unreadable part of a gateway's history. It does not receive the file and the line of the error. */
  readonly 'svc-streams:history-unreadable': Failure<RecordingError>
  /**
   * A replay has ended, and some rows of its recordings have doubtful times. `source`: names the recordings.
   * `earlierRows`: number of rows that are earlier than their predecessor. `skewedRows`: number of values whose `at` and
   * `receivedAt` differ by more than a minute.
   */
  readonly 'svc-streams:recording': {
    readonly source: string
    readonly earlierRows: number
    readonly skewedRows: number
  }
}

/**
 * Why the connection of a consumer ended. `consumer`: the consumer closed it. `too-far-behind`: more than `maxBufferedBytes` were
 * unsent. `no-pong`: the consumer answered no ping. `service-down`: the connection to the service was lost. `closing`: the
 * gateway was closed. `no-access`: its token was removed. On NATS: `no-renewal`: the consumer did not renew its lease.
 * `message-lost`: a message of the consumer did not arrive. `nats-lost`: the gateway lost its connection to NATS.
 */
export type GatewayDisconnectCause =
  | 'consumer'
  | 'too-far-behind'
  | 'no-pong'
  | 'no-renewal'
  | 'message-lost'
  | 'service-down'
  | 'nats-lost'
  | 'closing'
  | 'no-access'

interface Failure<E> {
  readonly host: string
  readonly error: E
}

export type ChannelName = keyof DiagnosticMessages

/** Publishes the result of `message`, which is called only if the channel has subscribers. */
export type Publish = <N extends ChannelName>(name: N, message: () => DiagnosticMessages[N]) => void
