import type { ConnectionState } from '../../base/diagnostics/collector.js'
import { behindMsOf, type ConnectionStatus } from '../../base/domain/status.js'
import type { Session } from '../../wire/socket/session.js'
import { lastPrice, snapshotStateOf, type TopicTable } from './topics.js'

interface ReportedConnection {
  readonly status: ConnectionStatus
  readonly session: Session | undefined
  readonly topics: TopicTable
}

/** The state of a connection and its topics, for collectors. `now`: monotonic, in ms. */
export const connectionReport = (
  host: string,
  { status, session, topics }: ReportedConnection,
  now: number,
): ConnectionState => {
  const counts = { waiting: 0, live: 0, stale: 0, lingering: 0 }
  let maxPriceAgeMs: number | undefined
  for (const state of topics.states) {
    const snapshot = snapshotStateOf(state)
    counts[snapshot]++
    if (snapshot !== 'lingering' && lastPrice(state) !== undefined) {
      maxPriceAgeMs = Math.max(maxPriceAgeMs ?? 0, now - state.lastActivityAt)
    }
  }
  return {
    host,
    state: stateNames[status._tag],
    prices: session?.prices ?? 0,
    topics: counts,
    maxPriceAgeMs,
    lagMs: session?.lag.ms,
    isBehind: behindMsOf(status) !== undefined,
  }
}

/** A reported connection has topics: its status is `Idle` only until its dial begins. */
const stateNames: Readonly<Record<ConnectionStatus['_tag'], ConnectionState['state']>> = {
  Idle: 'connecting',
  Connecting: 'connecting',
  Open: 'open',
  Waiting: 'waiting',
  Closed: 'waiting',
}
