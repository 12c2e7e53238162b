import type { Behind } from '../../display/connection.js'
import type { DisplayToken } from '../../display/token-state.js'
import type { Environment } from '../../../base/domain/environment.js'
import type { ConnectionStatus } from '../../../base/domain/status.js'
import type { DepthRow } from '../../../backtest/recording/format/row.js'
import type { Side } from '../../../backtest/paper/orders.js'
import type { LogEntry } from '../../display/display.js'
import type { PastPrices } from './samples.js'

// The data that the server sends to the page, as JSON: its configuration, which is a part of the page, the state of its
// connection to the service, the past, the depths, and the fills of an account.

export interface PageConfig {
  /** Name of the service: the prefix of the topics. */
  readonly service: string
  readonly environment: Environment
  /** The source of the prices, for people: `simulator`, a host, or a file. */
  readonly source: string
  /** What the prices are: the environment, or `SIMULATED` or `RECORDED`. */
  readonly label: string
  readonly tokens: readonly DisplayToken[]
  /** Interval of the depth polls, in ms; `null` without depth. */
  readonly depthInterval: number | null
  /** Time without a price after which a token is stale, in ms. */
  readonly staleAfter: number
}

/** What the server sends. `pageId`: equal for equal files and configurations; an open page of another server is out of date. */
export type Served<A> = A & { readonly pageId: string }

export interface ServiceStatus {
  readonly isUp: boolean
  /** Why the connection is down; empty if it is up. */
  readonly reason: string
  /**
   * `undefined` unless the prices of the connection may be too old, and are held. `ms`: the upper bound of their age when
   * that began; `since`: monotonic, in ms.
   */
  readonly behind?: { readonly ms: number; readonly since: number } | undefined
}

/** The status as the server sends it to the page. */
export interface ServedStatus extends Omit<ServiceStatus, 'behind'> {
  readonly behind?: Behind | undefined
  /** Changes with the fills; `undefined` without a journal. */
  readonly fillsVersion: number | undefined
}

/** `now`: monotonic, in ms. */
export const servedStatus = (
  { isUp, reason, behind }: ServiceStatus,
  now: number,
  fillsVersion?: number,
): ServedStatus => ({
  isUp,
  reason,
  behind: behind === undefined ? undefined : { ms: behind.ms, forMs: now - behind.since },
  fillsVersion,
})

/**
 * The status after a status of the client, at a monotonic time in ms. A client that connects again keeps the reason.
 * `closedReason`: for a client that is closed, such as that of a recording at its end.
 */
export const nextServiceStatus = (
  before: ServiceStatus,
  status: ConnectionStatus,
  at: number,
  closedReason: string,
): ServiceStatus => {
  switch (status._tag) {
    case 'Waiting':
      return { isUp: false, reason: status.reason }
    case 'Closed':
      return { isUp: false, reason: closedReason }
    case 'Connecting':
      return status.attempt > 1 ? { ...before, isUp: false } : before
    case 'Idle':
      return { isUp: true, reason: '' }
    case 'Open': {
      const { behindMs: ms } = status
      const since = before.behind?.since ?? at
      return { isUp: true, reason: '', behind: ms === undefined ? undefined : { ms, since } }
    }
  }
}

/** The past prices of each token, by its address in lower case. */
export type PricesByAddress = Readonly<Record<string, PastPrices>>

export interface ServedPast {
  readonly prices: PricesByAddress
}

/** The last depth of each token that has one. JSON has the quantities as text. */
export interface ServedDepths {
  readonly depths: readonly DepthRow[]
}

/** A fill of an account, as an entry of a list. The entry of a journal that cannot be read has no mark. */
export interface FillEntry extends LogEntry {
  readonly mark?: { readonly side: Side; readonly price: number }
}

/** The newest fills, the newest first. */
export interface ServedFills {
  readonly fills: readonly FillEntry[]
}
