import type { Price } from '../domain/price.js'

// What the world does wrong is a value. Every error is a plain readonly object with a `_tag`, a `message`
// that fits one line of a log, and its own fields. None of them ever carries a key or a signature.

export interface Tagged<Tag extends string> {
  readonly _tag: Tag
  /** One line for a log. */
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

/** The service refused the topic; `reason` is its own text (section 7 of the service's documentation). */
export interface SubscriptionRejected extends Tagged<'SubscriptionRejected'> {
  readonly topic: string
  readonly reason: string
}

/** The service neither confirmed nor rejected the topic within `afterMs`. It is asked again by itself. */
export interface SubscriptionTimeout extends Tagged<'SubscriptionTimeout'> {
  readonly topic: string
  readonly afterMs: number
  /** Error texts that arrived meanwhile and name no topic: one of them may be the answer. */
  readonly recent: readonly string[]
}

/** The connection is down, or an attempt to open it failed. */
export interface Disconnected extends Tagged<'Disconnected'> {
  /** The WebSocket close code; 1006 where no close frame came. */
  readonly code: number
  readonly reason: string
  /** Failures in a row, from 1. */
  readonly attempt: number
  /** The wait before the next attempt, in ms. */
  readonly retryInMs: number
}

/** The topic is subscribed, the connection is up, and yet nothing came for `silentForMs`. */
export interface Stale extends Tagged<'Stale'> {
  readonly topic: string
  readonly silentForMs: number
  /** The last price of this connection, if there was one. It is not current. */
  readonly last: Price | undefined
}

/** What came is not what the protocol says. */
export interface DecodeError extends Tagged<'DecodeError'> {
  /** What came: its first 2 kB. */
  readonly input: string
  readonly issues: readonly DecodeIssue[]
}

export interface DecodeIssue {
  /** Where: field names joined by dots; empty for the whole. */
  readonly path: string
  readonly expected: string
  /** What was there, shortened. */
  readonly actual: string
}

/** The service does not trade this pair. `base` and `quote` as its text names them, if it does. */
export interface UnsupportedPair extends Tagged<'UnsupportedPair'> {
  readonly base: string | undefined
  readonly quote: string | undefined
  readonly body: string
}

/** 401: the service did not accept the signature (section 5 of the service's documentation). */
export interface Unauthorized extends Tagged<'Unauthorized'> {
  readonly body: string
}

/** Any other status that is not 200. */
export interface HttpError extends Tagged<'HttpError'> {
  readonly status: number
  readonly body: string
  /** What the service asks to wait, in ms, if it does. */
  readonly retryAfterMs: number | undefined
}

/** No answer came: DNS, refused, reset, TLS. */
export interface NetworkError extends Tagged<'NetworkError'> {
  readonly cause: FailureCause
}

/** The failure below, reduced to what is safe and useful in a log. */
export interface FailureCause {
  readonly name: string
  readonly message: string
  /** The system's or the HTTP client's code, such as `ECONNREFUSED` or `ENOSPC`. */
  readonly code: string | undefined
}

/** No whole answer came in time. */
export interface Timeout extends Tagged<'Timeout'> {
  readonly afterMs: number
}

/** The client was closed. */
export type ClientClosed = Tagged<'ClientClosed'>

/** Something arrived on the WebSocket that belongs to no topic. */
export interface UncorrelatedError extends Tagged<'UncorrelatedError'> {
  readonly kind: 'error-text' | 'malformed' | 'unknown-topic' | 'binary'
  /** What came: its first 2 kB, binary as hex. */
  readonly input: string
}

/** A leg of `combineFresh` cannot be relied on: it has no value yet, its last was a `Left`, or it lags behind. */
export interface NotFresh extends Tagged<'NotFresh'> {
  readonly leg: string
  readonly why: 'missing' | 'left' | 'skew'
  /** The leg's own error, where `why` is `left`. */
  readonly error?: unknown
  /** How far it lags behind the newest leg, in ms, where `why` is `skew`. */
  readonly skewMs?: number
}

/** A recording is damaged, cut, or cannot be read. All before that line has been replayed. */
export interface RecordingError extends Tagged<'RecordingError'> {
  /** Counted from 1. */
  readonly line: number
  /** The line: its first 2 kB. */
  readonly input: string
  readonly issues: readonly DecodeIssue[]
}

/** What was to be recorded could not be written. */
export interface WriteError extends Tagged<'WriteError'> {
  readonly cause: FailureCause
}

/** What `price$` may give instead of a price. */
export type PriceError =
  | InvalidTopic
  | SubscriptionRejected
  | SubscriptionTimeout
  | Disconnected
  | Stale
  | DecodeError
  | ClientClosed

/** What `price` may give instead of a price. */
export type PriceRequestError =
  InvalidTopic | DecodeError | UnsupportedPair | HttpError | NetworkError | Timeout | ClientClosed

/** What `depth$` and `depth` may give instead of a depth. */
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

export type AnyError =
  PriceError | PriceRequestError | DepthError | UncorrelatedError | NotFresh | RecordingError | WriteError
