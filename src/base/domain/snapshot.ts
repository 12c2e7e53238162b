import { isLeft, type Either } from 'fp-ts/lib/Either.js'

/** The state of the WebSocket connection. With several sockets (`maxTopicsPerConnection`), the most severe of their states. */
export type ConnectionStatus = Idle | Connecting | Open | Waiting | Closed

/** No topic has subscribers, so there is no socket. */
export interface Idle {
  readonly _tag: 'Idle'
}

/** A dial is in progress or scheduled. `attempt`: number of this dial in a series of failures, from 1. */
export interface Connecting {
  readonly _tag: 'Connecting'
  readonly attempt: number
}

/**
 * The socket is open: with several lines, that of the front. `since`: ms since the Unix epoch. `epoch`: number of the
 * connection, from 1. `behindMs`: present while the prices may be older than `maxLag`. It is the upper bound of their age at
 * the start of this state, in ms.
 * `switches`: present with several lines and after a change of the line: how often another line came to the front.
 */
export interface Open {
  readonly _tag: 'Open'
  readonly epoch: number
  readonly since: number
  readonly behindMs?: number
  readonly switches?: number
}

/** The connection is down. The next dial starts `retryInMs` after this event. `attempt`: consecutive failures, from 1. */
export interface Waiting {
  readonly _tag: 'Waiting'
  readonly attempt: number
  readonly retryInMs: number
  readonly reason: string
}

/** The client was closed. This is the last state. */
export interface Closed {
  readonly _tag: 'Closed'
}

/** The upper bound of the age of the prices when it exceeded `maxLag`, in ms; `undefined` while the connection is not behind. */
export const behindMsOf = (status: ConnectionStatus): number | undefined =>
  status._tag === 'Open' ? status.behindMs : undefined

/** True after a lost connection until the next connection is open. `Idle` and the first dial are not failures. */
export const isDown = (status: ConnectionStatus): boolean =>
  status._tag === 'Waiting' ||
  status._tag === 'Closed' ||
  (status._tag === 'Connecting' && status.attempt > 1)

/**
 * The state of a topic. `live`: its price is current. `stale`: the service is silent or behind, or its last message was
 * unreadable. `down`: the connection is down. `waiting`: no price on this connection yet. `rejected`: the service does not
 * know the token.
 */
export type TopicState = 'live' | 'stale' | 'down' | 'waiting' | 'rejected'

export interface TopicSnapshot {
  /** The topic as it is sent. */
  readonly topic: string
  readonly subscribers: number
  /** `lingering`: without subscribers, until `linger` has passed. */
  readonly state: TopicState | 'lingering'
  /** Age of the last price on this connection, in ms; `null` before the first. */
  readonly lastPriceAgeMs: number | null
}

export interface PollSnapshot {
  /** The mint as it is sent. */
  readonly mint: string
  /** Time from the start of one request to the start of the next, in ms. */
  readonly interval: number
  /** 0 while the poll lingers: until `linger` ms after its last subscriber has left. */
  readonly subscribers: number
  /** `none` before the first response, then `ok` or the error's `_tag`. */
  readonly lastResult: string
  /** Age of the last result, in ms; `null` before the first. */
  readonly lastResultAgeMs: number | null
}

/** The state of one of the lines of a client: one, or `lines`, and one more while a line is replaced. */
export interface LineSnapshot {
  /** The URL without its query. */
  readonly url: string
  /** `behind`: its prices may be older than `maxLag`. `waiting`: for the next dial, or for a topic. */
  readonly state: 'connecting' | 'open' | 'behind' | 'waiting'
  /** True for the line whose prices are delivered. */
  readonly isFront: boolean
  /** Upper bound of the age of its prices, in ms; `null` while it is unknown. */
  readonly lagMs: number | null
}

/** The state of a client as plain JSON data for a log, without secrets. */
export interface ClientSnapshot {
  readonly status: ConnectionStatus
  readonly lines: readonly LineSnapshot[]
  readonly topics: readonly TopicSnapshot[]
  readonly polls: readonly PollSnapshot[]
}

export type StreamEvent = Either<{ readonly _tag: string }, unknown>

/** `PollSnapshot.lastResult` after an event. */
export const resultOf = (event: StreamEvent | undefined): string => {
  if (event === undefined) return 'none'
  return isLeft(event) ? event.left._tag : 'ok'
}
