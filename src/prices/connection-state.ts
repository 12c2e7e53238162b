import type { ConnectionState } from '../diagnostics/collector.js'
import { behindMsOf, type ConnectionStatus } from '../domain/status.js'
import type { Disconnected } from '../errors/model.js'
import { lastPrice, snapshotStateOf, type TopicState } from './topic-state.js'

interface Connection {
  readonly host: string
  readonly status: ConnectionStatus
  /** Number of prices since the connection opened. */
  readonly prices: number
  readonly states: Iterable<TopicState>
  /** The upper bound of the age of the prices, in ms; `undefined` if it is unknown. */
  readonly lagMs: number | undefined
  /** Monotonic, in ms. */
  readonly now: number
}

/** The state of one connection and its topics, for collectors. */
export const connectionStateOf = (connection: Connection): ConnectionState => {
  const { host, status, prices, states, lagMs, now } = connection
  const topics = { waiting: 0, live: 0, stale: 0, lingering: 0 }
  let maxPriceAgeMs: number | undefined
  for (const state of states) {
    const snapshot = snapshotStateOf(state)
    topics[snapshot]++
    if (snapshot !== 'lingering' && lastPrice(state) !== undefined) {
      maxPriceAgeMs = Math.max(maxPriceAgeMs ?? 0, now - state.lastActivityAt)
    }
  }
  const isBehind = behindMsOf(status) !== undefined
  return { host, state: stateNames[status._tag], prices, topics, maxPriceAgeMs, lagMs, isBehind }
}

/** A connection that is reported is needed: its status is `Idle` only until its dial begins. */
const stateNames: Readonly<Record<ConnectionStatus['_tag'], ConnectionState['state']>> = {
  Idle: 'connecting',
  Connecting: 'connecting',
  Open: 'open',
  Waiting: 'waiting',
  Closed: 'waiting',
}

/** The status after a failure. */
export const waiting = ({ attempt, reason }: Disconnected, retryInMs: number): ConnectionStatus => ({
  _tag: 'Waiting',
  attempt,
  retryInMs,
  reason,
})
