import type { Address } from '../domain/address.js'
import type { Topic } from '../domain/topic.js'
import type {
  DecodeError,
  DepthError,
  Disconnected,
  Stale,
  SubscriptionRejected,
  SubscriptionTimeout,
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
  /** A WebSocket opened. `connectMs`: time since its dial. */
  readonly 'svc-streams:connected': {
    readonly host: string
    readonly epoch: number
    readonly connectMs: number
  }
  /**
   * A WebSocket closed after `upMs`, or a dial failed. `epoch` is undefined after a failed dial. `error` is undefined
   * if the client closed the socket, because no topic has subscribers or because the client was closed.
   */
  readonly 'svc-streams:disconnected': {
    readonly host: string
    readonly epoch: number | undefined
    readonly upMs: number
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
  /** A topic got no price for `staleAfter`. */
  readonly 'svc-streams:stale': Failure<Stale>
  /** A frame does not match the protocol. `topic` is undefined if the frame names no topic with subscribers. */
  readonly 'svc-streams:decode-error': {
    readonly host: string
    readonly topic: Topic | undefined
    readonly error: DecodeError
  }
  /** A poll's request ended. `error` is undefined on success. `failures`: consecutive failures, including this one. */
  readonly 'svc-streams:poll': {
    readonly host: string
    readonly mint: Address
    /** Interval of the poll, in ms. */
    readonly interval: number
    readonly durationMs: number
    readonly failures: number
    readonly error: DepthError | undefined
  }
  /**
   * The service closed a kept-alive connection without a byte of the response to a GET, which the client sends once more
   * on a new connection. Count these messages: many of them mean that the service closes idle connections early.
   */
  readonly 'svc-streams:repeated': { readonly host: string }
}

interface Failure<E> {
  readonly host: string
  readonly error: E
}
