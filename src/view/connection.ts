import { behindMsOf, type ConnectionStatus, type Open } from '../base/domain/snapshot.js'

/** The report of the dashboard's own server about its connection to the service. */
export type Health =
  /** The fields are those of the status `Open`: while there is `behindMs`, the service's prices may be too old, and are held. */
  | ({ readonly _tag: 'Up' } & Partial<Pick<Open, 'behindMs' | 'switches'>>)
  /** `isOver`: the client does not connect again, such as that of a recording at its end. */
  | { readonly _tag: 'Down'; readonly reason: string; readonly isOver?: boolean }
  /** The dashboard's own server has reported nothing in time. */
  | { readonly _tag: 'Gone' }

/** `behind`: prices may be too old, and are held. `connection lost`: that of the page, whose server has not reported why. */
export type ConnectionState =
  'connecting' | 'connected' | 'behind' | 'connection lost' | 'service lost' | 'dashboard stopped'

/** The connection to the service. The page connects through the dashboard's own server. */
export interface Connection {
  readonly state: ConnectionState
  /** Why the connection is down; empty if it is up, or if the reason is unknown. */
  readonly reason: string
  /** The upper bound of the age of the prices when they became too old, in ms; `undefined` while they are current. */
  readonly behindMs: number | undefined
  /** Time at which the last connection was lost, in ms since the Unix epoch; undefined before the first loss. */
  readonly lostAt: number | undefined
  /** The state of the client's WebSocket. */
  readonly status: ConnectionStatus
  /** In ms since the Unix epoch. Of an open connection, when it opened. In a replay, the time of playback. */
  readonly statusAt: number
  /** Undefined until the server has reported since the WebSocket opened or closed. */
  readonly health: Health | undefined
}

export const initialConnection: Connection = {
  state: 'connecting',
  reason: '',
  behindMs: undefined,
  lostAt: undefined,
  status: { _tag: 'Idle' },
  statusAt: 0,
  health: undefined,
}

/** Applies a status of the WebSocket. Only a lost service is known longer than until the WebSocket opens or closes. */
export const withStatus = (connection: Connection, status: ConnectionStatus, at: number): Connection => {
  const { status: before, statusAt, health } = connection
  const isSame = (status._tag === 'Open') === (before._tag === 'Open')
  const isSameEpoch = status._tag === 'Open' && before._tag === 'Open' && status.epoch === before.epoch
  const kept = isSame || health?._tag === 'Down' ? health : undefined
  return derived({ ...connection, status, statusAt: isSameEpoch ? statusAt : at, health: kept }, at)
}

/** On a busy machine, a report may be late while prices arrive. The pings of an open WebSocket detect a server that has stopped. */
export const withHealth = (connection: Connection, health: Health, at: number): Connection =>
  health._tag === 'Gone' && connection.status._tag === 'Open'
    ? connection
    : derived({ ...connection, health }, at)

const derived = (connection: Connection, at: number): Connection => {
  const { status, health } = connection
  // The lag of the page's WebSocket, or of the connection between its server and the service.
  const behindMs = behindMsOf(status) ?? (health?._tag === 'Up' ? health.behindMs : undefined)
  const state = stateOf(connection, behindMs !== undefined)
  const isLost = isConnected(connection) && !isConnected({ state })
  return {
    ...connection,
    state,
    behindMs: state === 'behind' ? behindMs : undefined,
    reason: reasonOf(connection, state),
    lostAt: isLost ? at : connection.lostAt,
  }
}

/** True while prices arrive from the service, current or not. */
export const isConnected = ({ state }: Pick<Connection, 'state'>): boolean =>
  state === 'connected' || state === 'behind'

const stateOf = (connection: Connection, isBehind: boolean): ConnectionState => {
  const { status, health } = connection
  if (health?._tag === 'Gone') return 'dashboard stopped'
  if (health?._tag === 'Down') return 'service lost'
  if (status._tag === 'Open') return isBehind ? 'behind' : 'connected'
  if (health?._tag === 'Up') return 'connecting'
  return isConnected(connection) || status._tag === 'Waiting' ? 'connection lost' : connection.state
}

const reasonOf = ({ status, health, reason }: Connection, state: ConnectionState): string => {
  if (isConnected({ state }) || state === 'dashboard stopped') return ''
  if (health?._tag === 'Down') return health.reason
  return status._tag === 'Waiting' ? status.reason : reason
}
