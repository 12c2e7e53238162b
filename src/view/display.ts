import { canonicalAddress, type Address, addressOf } from '../base/domain/topic.js'
import { assertNever } from '../base/domain/assert-never.js'
import type { Row } from '../backtest/recording/codec/row.js'
import {
  initialConnection,
  isConnected,
  withHealth,
  withStatus,
  type Connection,
  type Health,
} from './connection.js'
import { connectionText, depthText, priceText, uncorrelatedText, type LogText } from './log-texts.js'
import {
  initialTokenState,
  withDepthEvent,
  withHeldPrices,
  withLostConnection,
  withOpenConnection,
  withPriceEvent,
  type DisplayToken,
  type TokenState,
} from './token-state.js'

// The model behind the board of a terminal and the page of the dashboard.

/** An answer of the dashboard's own server about its health. `at`: ms since the Unix epoch. */
export interface HealthRow {
  readonly _tag: 'Health'
  readonly at: number
  readonly health: Health
}

export type DisplayEvent = Row | HealthRow

export interface Display {
  readonly connection: Connection
  readonly tokens: readonly TokenState[]
  /** The newest entry first. */
  readonly log: readonly LogEntry[]
}

export const emptyDisplay = (tokens: readonly DisplayToken[]): Display => ({
  connection: initialConnection,
  tokens: tokens.map(initialTokenState),
  log: [],
})

/**
 * Applies an event. Parts that do not change keep their identity. `isDirect`: there is no server that reports why the connection
 * is lost. `loggedAt`: the time of an event in the log, in ms since the Unix epoch. Default: that of the event.
 */
export const createUpdate =
  (isDirect = false, loggedAt = ({ at }: DisplayEvent): number => at) =>
  (display: Display, event: DisplayEvent): Display => {
    const logged = (text: LogText | undefined, symbol?: string): readonly LogEntry[] =>
      appended(display.log, loggedAt(event), text, symbol)

    const withToken = (
      address: Address,
      change: (token: TokenState) => TokenState,
      textOf: (before: TokenState, after: TokenState) => LogText | undefined,
    ): Display => {
      const canonical = canonicalAddress(address)
      const index = display.tokens.findIndex(({ token }) => canonicalAddress(token.address) === canonical)
      const before = display.tokens[index]
      if (before === undefined) return display
      const after = change(before)
      const log = logged(textOf(before, after), after.token.symbol)
      return { ...display, tokens: display.tokens.with(index, after), log }
    }

    const withConnection = (connection: Connection, change?: (token: TokenState) => TokenState): Display => ({
      connection,
      tokens: change === undefined ? display.tokens : display.tokens.map(change),
      log: logged(connectionText(display.connection, connection, event.at, isDirect)),
    })

    const { connection } = display
    switch (event._tag) {
      case 'Price':
        return withToken(addressOf(event.topic), (token) => withPriceEvent(token, event), priceText)
      case 'Depth':
        return withToken(
          event.mint,
          (token) => withDepthEvent(token, event, isConnected(connection)),
          depthText,
        )
      case 'Status': {
        const { status, at } = event
        const change = status._tag === 'Open' ? withOpenConnection : withLostConnection
        const isDial = status._tag === 'Idle' || status._tag === 'Connecting'
        return withConnection(
          withStatus(connection, status, at),
          isDial ? undefined : (token) => change(token, at),
        )
      }
      case 'Health': {
        const { health, at } = event
        const behindMs = health._tag === 'Up' ? health.behindMs : undefined
        return withConnection(
          withHealth(connection, health, at),
          behindMs === undefined ? undefined : (token) => withHeldPrices(token, behindMs, at),
        )
      }
      case 'Uncorrelated':
        return { ...display, log: logged(uncorrelatedText(event.error)) }
      case 'End':
        return display
      default:
        return assertNever(event)
    }
  }

export interface LogEntry extends LogText {
  /** Number of the entry, from 1: its identity. */
  readonly id: number
  /** In ms since the Unix epoch. */
  readonly at: number
  /** The tokens of the entry; empty if the entry describes the connection. */
  readonly symbols: readonly string[]
}

const maxEntries = 100

/** Events of several tokens with one text are one entry if they follow each other within this time, in ms. */
const mergeWithin = 2000

/** Adds an entry in front, or the symbol to the newest entry if that has the same text. Without a text, returns the log. */
export const appended = (
  log: readonly LogEntry[],
  at: number,
  entry: LogText | undefined,
  symbol?: string,
): readonly LogEntry[] => {
  if (entry === undefined) return log
  const symbols = symbol === undefined ? [] : [symbol]
  const [newest, ...older] = log
  if (newest?.text === entry.text && at - newest.at <= mergeWithin) {
    const added = symbols.filter((each) => !newest.symbols.includes(each))
    return added.length === 0 ? log : [{ ...newest, symbols: [...newest.symbols, ...added] }, ...older]
  }
  return [{ ...entry, id: (newest?.id ?? 0) + 1, at, symbols }, ...log].slice(0, maxEntries)
}

const maxSymbols = 4

/** The tokens of an entry; empty if the entry describes the connection. */
export const symbolsText = ({ symbols }: LogEntry): string =>
  symbols.length <= maxSymbols ? symbols.join(', ') : `${symbols.length} tokens`
