import type { ConnectionStatus } from '../../domain/status.js'

/** The answer of the dashboard's own server about its connection to the service. */
export type Health =
  | { readonly _tag: 'Up' }
  | { readonly _tag: 'Down'; readonly reason: string }
  /** The dashboard's own server does not answer. */
  | { readonly _tag: 'Gone' }

/** `connection lost`: the page's connection is down, and the server has not reported why. */
export type ConnectionState =
  'connecting' | 'connected' | 'connection lost' | 'service lost' | 'dashboard stopped'

/** The connection from the page to the service, over the dashboard's own server. */
export interface Connection {
  readonly state: ConnectionState
  /** Why the connection is down; empty if it is not, or if it is not known. */
  readonly reason: string
  /** Time at which the last connection was lost, in ms since the Unix epoch; undefined before the first loss. */
  readonly lostAt: number | undefined
  /** The page's own WebSocket. */
  readonly status: ConnectionStatus
  /** Undefined until the server has answered since the WebSocket opened or closed. */
  readonly health: Health | undefined
}

export const initialConnection: Connection = {
  state: 'connecting',
  reason: '',
  lostAt: undefined,
  status: { _tag: 'Idle' },
  health: undefined,
}

/** Applies a status of the page's WebSocket. An answer of the server from before it opened or closed no longer counts. */
export const withStatus = (connection: Connection, status: ConnectionStatus, at: number): Connection => {
  const isSame = (status._tag === 'Open') === (connection.status._tag === 'Open')
  return derived({ ...connection, status, health: isSame ? connection.health : undefined }, at)
}

/** Applies an answer of the server. */
export const withHealth = (connection: Connection, health: Health, at: number): Connection =>
  derived({ ...connection, health }, at)

const derived = (connection: Connection, at: number): Connection => {
  const state = stateOf(connection)
  const isLost = connection.state === 'connected' && state !== 'connected'
  return {
    ...connection,
    state,
    reason: reasonOf(connection, state),
    lostAt: isLost ? at : connection.lostAt,
  }
}

const stateOf = ({ state, status, health }: Connection): ConnectionState => {
  if (health?._tag === 'Gone') return 'dashboard stopped'
  if (health?._tag === 'Down') return 'service lost'
  if (status._tag === 'Open') return 'connected'
  if (health?._tag === 'Up') return 'connecting'
  return state === 'connected' || status._tag === 'Waiting' ? 'connection lost' : state
}

const reasonOf = ({ status, health, reason }: Connection, state: ConnectionState): string => {
  if (state === 'connected' || state === 'dashboard stopped') return ''
  if (health?._tag === 'Down') return health.reason
  return status._tag === 'Waiting' ? status.reason : reason
}
