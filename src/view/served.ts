import type { DisplayToken } from './token-state.js'
import type { Address } from '../base/domain/topic.js'
import type { Environment } from '../base/domain/environment.js'
import type { DepthRow } from '../backtest/recording/codec/row.js'
import type { Side } from '../backtest/account/orders.js'
import type { DisplayEvent, HealthRow, LogEntry } from './display.js'
import type { PastPrices } from './samples.js'

// The data that the server sends to the page, as JSON: its configuration, which is a part of the page, and its events.

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

/** `pageId`: equal for equal files and configurations. */
export type Served<A> = A & { readonly pageId: string }

/** What the server sends to an open page, as one stream. JSON has the quantities of depths as text. */
export type ServedEvent = PageRow | Omit<HealthRow, 'at'> | DepthRow | PastRow | FillsRow

/** What the page shows: the events of its own connection, and those of the server. */
export type PageEvent = DisplayEvent | PageRow | PastRow | FillsRow

/** The first event. An open page with another id is out of date. */
export interface PageRow {
  readonly _tag: 'Page'
  readonly pageId: string
}

/** The past prices of a token. */
export interface PastRow {
  readonly _tag: 'Past'
  readonly address: Address
  readonly prices: PastPrices
}

/** The newest fills of an account, the newest first. */
export interface FillsRow {
  readonly _tag: 'Fills'
  readonly fills: readonly FillEntry[]
}

/** A fill of an account, as an entry of a list. The entry of a journal that cannot be read has no mark. */
export interface FillEntry extends LogEntry {
  readonly mark?: { readonly side: Side; readonly price: number }
}

/** Time between two reports of the server's health, in ms. */
export const healthInterval = 1000
