import type { Health } from './connection.js'
import type { DisplayToken } from './token-state.js'
import type { Environment } from '../base/domain/environment.js'
import { behindMsOf, isDown, type ConnectionStatus } from '../base/domain/status.js'
import type { DepthRow } from '../backtest/recording/codec/row.js'
import type { Side } from '../backtest/account/orders.js'
import type { LogEntry } from './display.js'
import type { PastPrices } from './samples.js'

// The data that the server sends to the page, as JSON: its configuration, which is a part of the page, its status, the past,
// and the fills of an account.

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

/** The answer of the server to a page that asks about its connection to the service, and for what is new. */
export interface ServedStatus {
  readonly health: Health
  /** The last depth of each token that has one. JSON has the quantities as text. */
  readonly depths: readonly DepthRow[]
  /** Changes with the fills; `undefined` without a journal. */
  readonly fillsVersion?: number | undefined
}

/** The server's connection to the service. */
export interface ServiceState {
  /** The last one that is not of a dial: a client that connects again keeps the reason. */
  readonly status: ConnectionStatus
  /** Monotonic, in ms; `undefined` unless the prices of the connection may be too old, and are held. */
  readonly behindSince?: number | undefined
}

/** The state after a status of the client, at a monotonic time in ms. */
export const nextServiceState = (
  before: ServiceState,
  status: ConnectionStatus,
  at: number,
): ServiceState => {
  if (status._tag === 'Connecting') return before
  return { status, behindSince: behindMsOf(status) === undefined ? undefined : (before.behindSince ?? at) }
}

/**
 * `now`: monotonic, in ms. `closedReason`: for a client that is closed, such as that of a recording at its end.
 */
export const servedHealth = (
  { status, behindSince = 0 }: ServiceState,
  now: number,
  closedReason: string,
): Health => {
  if (isDown(status))
    return { _tag: 'Down', reason: status._tag === 'Waiting' ? status.reason : closedReason }
  const ms = behindMsOf(status)
  const behind = ms === undefined ? undefined : { ms, forMs: now - behindSince }
  return { _tag: 'Up', behind, switches: status._tag === 'Open' ? status.switches : undefined }
}

/** The past prices of each token, by its address in lower case. */
export type PricesByAddress = Readonly<Record<string, PastPrices>>

export interface ServedPast {
  readonly prices: PricesByAddress
}

/** A fill of an account, as an entry of a list. The entry of a journal that cannot be read has no mark. */
export interface FillEntry extends LogEntry {
  readonly mark?: { readonly side: Side; readonly price: number }
}

/** The newest fills, the newest first. */
export interface ServedFills {
  readonly fills: readonly FillEntry[]
}
