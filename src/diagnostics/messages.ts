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
 * What the library publishes on Node's `diagnostics_channel`, by the name of the channel. Messages are plain data
 * without secrets, and are made only while somebody listens. `host` is the host and port of the service's address,
 * without path and query; `epoch` counts the client's connections from 1; times are in ms.
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
  /** A WebSocket opened; `connectMs` from its dial on. */
  readonly 'svc-streams:connected': {
    readonly host: string
    readonly epoch: number
    readonly connectMs: number
  }
  /**
   * A WebSocket ended after `upMs`, or did not open, in which case `epoch` is undefined. `error` is undefined where
   * the client hung up, because nobody listened any more or because it was closed.
   */
  readonly 'svc-streams:disconnected': {
    readonly host: string
    readonly epoch: number | undefined
    readonly upMs: number
    readonly error: Disconnected | undefined
  }
  /** A subscribe was answered, by a confirmation or a first price, `confirmMs` after it was sent. */
  readonly 'svc-streams:subscribed': {
    readonly host: string
    readonly topic: Topic
    readonly epoch: number
    readonly confirmMs: number
  }
  /** The service refused a topic. */
  readonly 'svc-streams:rejected': Failure<SubscriptionRejected>
  /** A subscribe was not answered in time, and is sent again. */
  readonly 'svc-streams:unanswered': Failure<SubscriptionTimeout>
  /** A topic has been silent for too long. */
  readonly 'svc-streams:stale': Failure<Stale>
  /** A frame was not what the protocol says. `topic` is undefined where the frame names none that is listened to. */
  readonly 'svc-streams:decode-error': {
    readonly host: string
    readonly topic: Topic | undefined
    readonly error: DecodeError
  }
  /** A poll's request ended; `error` is undefined where it gave a depth. `failures`: in a row, this one included. */
  readonly 'svc-streams:poll': {
    readonly host: string
    readonly mint: Address
    /** In ms. */
    readonly interval: number
    readonly durationMs: number
    readonly failures: number
    readonly error: DepthError | undefined
  }
}

interface Failure<E> {
  readonly host: string
  readonly error: E
}
