import { canonicalAddress, isAddress, type Address } from '../base/domain/address.js'
import { assertNever } from '../base/domain/assert-never.js'
import { addressOf } from '../base/domain/topic.js'
import type { UncorrelatedError } from '../base/errors/model.js'
import type { Row } from '../backtest/recording/codec/row.js'
import {
  initialConnection,
  isConnected,
  withHealth,
  withStatus,
  type Connection,
  type Health,
} from './connection.js'
import {
  initialTokenState,
  withDepthEvent,
  withHeldPrices,
  withLostConnection,
  withOpenConnection,
  withPriceEnd,
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
 * Applies an event. Parts that do not change keep their identity. `loggedAt`: the time of an event in the log, in ms since
 * the Unix epoch. Default: that of the event.
 */
export const createUpdate = (
  texts: LogTexts,
  loggedAt = ({ at }: DisplayEvent): number => at,
): ((display: Display, event: DisplayEvent) => Display) => {
  const logged = (display: Display, event: DisplayEvent, text: LogText | undefined, symbol?: string) =>
    appended(display.log, loggedAt(event), text, symbol)

  const withToken = (
    display: Display,
    event: DisplayEvent,
    address: Address,
    change: (token: TokenState) => TokenState,
    textOf: LogTexts['price'] = () => undefined,
  ): Display => {
    const canonical = canonicalAddress(address)
    const index = display.tokens.findIndex(({ token }) => canonicalAddress(token.address) === canonical)
    const before = display.tokens[index]
    if (before === undefined) return display
    const after = change(before)
    const log = logged(display, event, textOf(before, after), after.token.symbol)
    return { ...display, tokens: display.tokens.with(index, after), log }
  }

  const withConnection = (display: Display, event: DisplayEvent, connection: Connection): Display => ({
    ...display,
    connection,
    log: logged(display, event, texts.connection(display.connection, connection, event.at)),
  })

  return (display, event) => {
    switch (event._tag) {
      case 'Price': {
        const change = (token: TokenState) => withPriceEvent(token, event)
        return withToken(display, event, addressOf(event.topic), change, texts.price)
      }
      case 'Depth': {
        const isUp = isConnected(display.connection)
        return withToken(
          display,
          event,
          event.mint,
          (token) => withDepthEvent(token, event, isUp),
          texts.depth,
        )
      }
      case 'Status': {
        const { status, at } = event
        const changed = withConnection(display, event, withStatus(display.connection, status, at))
        if (status._tag === 'Idle' || status._tag === 'Connecting') return changed
        const change = status._tag === 'Open' ? withOpenConnection : withLostConnection
        return { ...changed, tokens: changed.tokens.map((token) => change(token, at)) }
      }
      case 'Health': {
        const { health, at } = event
        const changed = withConnection(display, event, withHealth(display.connection, health, at))
        const behind = health._tag === 'Up' ? health.behind : undefined
        if (behind === undefined) return changed
        return { ...changed, tokens: changed.tokens.map((token) => withHeldPrices(token, behind, at)) }
      }
      case 'Uncorrelated':
        return { ...display, log: logged(display, event, texts.uncorrelated(event.error)) }
      case 'End':
        return isAddress(event.of) ? display : withToken(display, event, addressOf(event.of), withPriceEnd)
      default:
        return assertNever(event)
    }
  }
}

/** `bad`: something is no longer current. `good`: it is current again. */
type LogTone = 'good' | 'bad' | 'neutral'

export interface LogText {
  readonly tone: LogTone
  readonly text: string
}

/** The texts of the log: a text for each event that gets an entry. */
export interface LogTexts {
  readonly connection: (before: Connection, after: Connection, at: number) => LogText | undefined
  readonly price: (before: TokenState, after: TokenState) => LogText | undefined
  readonly depth: (before: TokenState, after: TokenState) => LogText | undefined
  readonly uncorrelated: (error: UncorrelatedError) => LogText
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
