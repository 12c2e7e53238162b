import type { Price } from '../domain/price.js'

// External failures are values: plain readonly objects with a `_tag`, a `message` of one line for a log, and further
// fields. No field contains a key or a signature.

export interface Tagged<Tag extends string> {
  readonly _tag: Tag
  /** One line for a log, without control characters. */
  readonly message: string
}

/** The topic is not `<service>-0x<hex>`. */
export interface InvalidTopic extends Tagged<'InvalidTopic'> {
  readonly topic: string
}

/** The mint is not `0x<hex>`. */
export interface InvalidMint extends Tagged<'InvalidMint'> {
  readonly mint: string
}

/** The poll interval is not a finite number of at least 1 ms. */
export interface InvalidInterval extends Tagged<'InvalidInterval'> {
  readonly interval: number
}

/** The service rejected the topic. `reason` is the service's text (section 7 of the service's documentation). */
export interface SubscriptionRejected extends Tagged<'SubscriptionRejected'> {
  readonly topic: string
  readonly reason: string
}

/** The service neither confirmed nor rejected the topic within `afterMs`. The client requests it again. */
export interface SubscriptionTimeout extends Tagged<'SubscriptionTimeout'> {
  readonly topic: string
  readonly afterMs: number
  /** Error texts without a topic that arrived within that time. One of them may be the reason. */
  readonly recent: readonly string[]
}

/** The connection was lost, or an attempt to open it failed. */
export interface Disconnected extends Tagged<'Disconnected'> {
  /** The WebSocket close code; 1006 if no close frame was received. */
  readonly code: number
  /** The close reason, or the message of the socket's error. */
  readonly reason: string
  /** Number of consecutive failures, from 1. */
  readonly attempt: number
  /** Delay before the next attempt, in ms. */
  readonly retryInMs: number
}

/** The topic has no current price, although the connection is open. */
export interface Stale extends Tagged<'Stale'> {
  readonly topic: string
  readonly silentForMs: number
  /** The last price on this connection, if any. It is not current. */
  readonly last: Price | undefined
  /**
   * Upper bound of the age of the prices that arrive, in ms. Defined if it exceeds `maxLag`: the prices are held until
   * they are current again. `undefined` if no price arrived for `staleAfter`, and after a suspend of the machine.
   */
  readonly behindMs: number | undefined
}

/** The received data does not match the protocol, or exceeds a size limit. */
export interface DecodeError extends Tagged<'DecodeError'> {
  /** The first 2 kB of the data. */
  readonly input: string
  /** The first faults, at most 20. The message ends with `and more` if there are more faults. */
  readonly issues: readonly DecodeIssue[]
}

export interface DecodeIssue {
  /** Field names joined by dots; empty for the whole input. */
  readonly path: string
  readonly expected: string
  /** The received value, truncated. */
  readonly actual: string
}

/** The service does not trade this pair. `base` and `quote` are the addresses in the text of the service, if any. */
export interface UnsupportedPair extends Tagged<'UnsupportedPair'> {
  readonly base: string | undefined
  readonly quote: string | undefined
  readonly body: string
}

/** 401: the service rejected the signature (section 5 of the service's documentation). */
export interface Unauthorized extends Tagged<'Unauthorized'> {
  readonly body: string
}

/** The response has a status other than 200 that no other error represents. */
export interface HttpError extends Tagged<'HttpError'> {
  readonly status: number
  readonly body: string
  /** The delay that the response's `Retry-After` requests, in ms; undefined without one. */
  readonly retryAfterMs: number | undefined
}

/** The request failed without a complete response: DNS, connection refused or reset, TLS. */
export interface NetworkError extends Tagged<'NetworkError'> {
  readonly cause: FailureCause
}

/** The underlying failure, reduced to the fields that are safe in a log. */
export interface FailureCause {
  readonly name: string
  readonly message: string
  /** The system's or the HTTP client's code, such as `ECONNREFUSED` or `ENOSPC`. */
  readonly code: string | undefined
}

/** No complete response arrived within `afterMs`: `requestTimeout`, or twice `maxLag` until the response was read. */
export interface Timeout extends Tagged<'Timeout'> {
  readonly afterMs: number
}

/** The client was closed before the call, or while a request was in flight. */
export type ClientClosed = Tagged<'ClientClosed'>

/** A WebSocket message that belongs to no subscribed topic. */
export interface UncorrelatedError extends Tagged<'UncorrelatedError'> {
  readonly kind: 'error-text' | 'malformed' | 'unknown-topic' | 'binary'
  /** The first 2 kB of the message; a binary message as hex. */
  readonly input: string
}

/**
 * A leg of `combineFresh` is not current: it has no value yet, its last event is a `Left`, or its value is too old. `error`: that
 * of the leg. `skewMs`: age relative to the newest leg, in ms. `ageMs`: more than `maxAge`, in ms.
 */
export type NotFresh<Leg extends string = string, E = unknown> = Tagged<'NotFresh'> & {
  readonly leg: Leg
} & (
    | { readonly why: 'missing' }
    | { readonly why: 'left'; readonly error: E }
    | { readonly why: 'skew'; readonly skewMs: number }
    | { readonly why: 'age'; readonly ageMs: number }
  )

/**
 * A recording is missing, damaged, truncated or unreadable, or a row is more than 365 days later than its predecessor.
 * The message names the source. Every row before `line` has been replayed.
 */
export interface RecordingError extends Tagged<'RecordingError'> {
  /** The path or `file:` URL of the source, or a description. */
  readonly source: string
  /** Line number in the source, from 1. */
  readonly line: number
  /** The first 2 kB of the line. */
  readonly input: string
  readonly issues: readonly DecodeIssue[]
}

/** `from` or `to` is misspelt or not a time in ms since the Unix epoch, such as a time in seconds; or `from` is after `to`. */
export interface InvalidRange extends Tagged<'InvalidRange'> {
  readonly from: number
  readonly to: number
}

/** The history has no prices of the topic, at any time. */
export interface UnknownTopic extends Tagged<'UnknownTopic'> {
  readonly topic: string
}

/** The recording could not be written. */
export interface WriteError extends Tagged<'WriteError'> {
  readonly cause: FailureCause
  /** The number of the invalid row of `writeRecording`, from 1. */
  readonly row?: number
}

/** The errors of `price$`. */
export type PriceError =
  | InvalidTopic
  | SubscriptionRejected
  | SubscriptionTimeout
  | Disconnected
  | Stale
  | DecodeError
  | ClientClosed

/** The errors of `price`. */
export type PriceRequestError =
  InvalidTopic | DecodeError | UnsupportedPair | HttpError | NetworkError | Timeout | ClientClosed

/** The errors of `depth$` and `depth`. */
export type DepthError =
  | InvalidMint
  | InvalidInterval
  | DecodeError
  | UnsupportedPair
  | Unauthorized
  | HttpError
  | NetworkError
  | Timeout
  | ClientClosed

/** The errors of a history. The stream completes after each of them. */
export type HistoryError =
  | InvalidTopic
  | InvalidRange
  | UnknownTopic
  | RecordingError
  | DecodeError
  | HttpError
  | NetworkError
  | Timeout

/** The errors of a client and of the operators. Recordings, histories and sweeps have unions of their own. */
export type AnyError = PriceError | PriceRequestError | DepthError | UncorrelatedError | NotFresh
