import type { ConnectionState } from '../../base/diagnostics/collector.js'
import { type TopicSnapshot, behindMsOf, isDown, type ConnectionStatus } from '../../base/domain/snapshot.js'
import type { Host } from '../../wire/socket/reconnecting.js'
import type { Session } from '../../wire/socket/session.js'
import { subscribersIn } from './subscribers.js'
import { lastPrice, shownStateOf, type TopicTable, type TopicTimeouts } from './topics.js'

interface ShownConnection {
  readonly isFront: boolean
  readonly host: Host
  readonly status: ConnectionStatus
  readonly session: Session | undefined
  readonly topics: TopicTable
}

/** The topics of a connection, for `inspect()`. `now`: monotonic, in ms. */
export const topicSnapshots = (
  { status, session, topics }: ShownConnection,
  timeouts: TopicTimeouts,
  now: number,
): readonly TopicSnapshot[] => {
  const down = isDown(status)
  const isLate = session?.isUpToDate() === false && !session.lag.isHolding
  return Array.from(topics.values(), (state) => ({
    topic: state.topic,
    subscribers: subscribersIn(state).length,
    state: shownStateOf(state, timeouts, now, down, isLate),
    lastPriceAgeMs: lastPrice(state) === undefined ? null : Math.round(now - state.lastActivityAt),
  }))
}

/** The state of a connection and its topics, for collectors. `now`: monotonic, in ms. */
export const connectionReport = (
  connection: ShownConnection,
  timeouts: TopicTimeouts,
  now: number,
): ConnectionState => {
  const { host, isFront, status, session } = connection
  const counts = { waiting: 0, live: 0, stale: 0, down: 0, rejected: 0, lingering: 0 }
  let maxPriceAgeMs: number | undefined
  for (const { state, lastPriceAgeMs } of topicSnapshots(connection, timeouts, now)) {
    counts[state]++
    if (state !== 'lingering' && lastPriceAgeMs !== null)
      maxPriceAgeMs = Math.max(maxPriceAgeMs ?? 0, lastPriceAgeMs)
  }
  return {
    host: host.name,
    isFront,
    state: stateNames[status._tag],
    prices: session?.prices ?? 0,
    topics: counts,
    maxPriceAgeMs,
    lagMs: session?.lag.ms,
    isBehind: behindMsOf(status) !== undefined,
  }
}

/** The state of a connection, apart from its age. One without topics waits for them. */
export const stateNames: Readonly<Record<ConnectionStatus['_tag'], ConnectionState['state']>> = {
  Idle: 'waiting',
  Connecting: 'connecting',
  Open: 'open',
  Waiting: 'waiting',
  Closed: 'waiting',
}
