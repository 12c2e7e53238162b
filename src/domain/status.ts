/**
 * The state of the WebSocket connection. With `maxTopicsPerConnection` and several sockets: that of the one
 * that is worst off.
 */
export type ConnectionStatus = Idle | Connecting | Open | Waiting | Closed

/** No topic is wanted, so there is no socket. */
export interface Idle {
  readonly _tag: 'Idle'
}

/** A dial is under way, or about to be. `attempt` counts from 1, failures in a row included. */
export interface Connecting {
  readonly _tag: 'Connecting'
  readonly attempt: number
}

/** The socket is up. `since` is in ms since the Unix epoch; `epoch` counts connections from 1. */
export interface Open {
  readonly _tag: 'Open'
  readonly epoch: number
  readonly since: number
}

/** The connection is down; the next dial comes `retryInMs` after this value. */
export interface Waiting {
  readonly _tag: 'Waiting'
  readonly attempt: number
  readonly retryInMs: number
  readonly reason: string
}

/** The client was closed. Nothing follows. */
export interface Closed {
  readonly _tag: 'Closed'
}
