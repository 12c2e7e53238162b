/**
 * The state of the WebSocket connection. With several sockets (`maxTopicsPerConnection`), the most severe of their
 * states.
 */
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

/**
 * The upper bound of the age of the prices when it exceeded `maxLag`, in ms; `undefined` while the connection is not
 * behind.
 */
export const behindMsOf = (status: ConnectionStatus): number | undefined =>
  status._tag === 'Open' ? status.behindMs : undefined

/** True after a lost connection until the next connection is open. `Idle` and the first dial are not failures. */
export const isDown = (status: ConnectionStatus): boolean =>
  status._tag === 'Waiting' ||
  status._tag === 'Closed' ||
  (status._tag === 'Connecting' && status.attempt > 1)
