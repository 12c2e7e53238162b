import { canonicalAddress, type Address } from '../../domain/address.js'
import { assertNever } from '../../domain/assert-never.js'
import type { ConnectionStatus } from '../../domain/status.js'
import { addressOf } from '../../domain/topic.js'
import type { Row } from '../../recording/format/row.js'
import {
  emptyCard,
  withDepthEvent,
  withHeldPrices,
  withLostConnection,
  withOpenConnection,
  withPriceEvent,
  type Card,
} from './card.js'
import {
  initialConnection,
  isConnected,
  withHealth,
  withStatus,
  type Connection,
  type Health,
} from './connection.js'
import { appended, type LogEntry, type LogText } from './event-log.js'
import { connectionText, depthText, priceText, uncorrelatedText } from './log-text.js'
import type { PageToken } from './page-config.js'

/** An answer of the dashboard's own server about its health. `at`: ms since the Unix epoch. */
export interface HealthRow {
  readonly _tag: 'Health'
  readonly at: number
  readonly health: Health
}

export type DashboardEvent = Row | HealthRow

/** All that the page shows, without the charts. */
export interface Dashboard {
  readonly connection: Connection
  readonly cards: readonly Card[]
  /** The newest entry first. */
  readonly log: readonly LogEntry[]
}

export const emptyDashboard = (tokens: readonly PageToken[]): Dashboard => ({
  connection: initialConnection,
  cards: tokens.map(emptyCard),
  log: [],
})

/** Applies an event. Parts that do not change keep their identity. */
export const update = (dashboard: Dashboard, event: DashboardEvent): Dashboard => {
  switch (event._tag) {
    case 'Price': {
      const address = addressOf(event.topic)
      return withCard(dashboard, address, event.at, (card) => withPriceEvent(card, event), priceText)
    }
    case 'Depth': {
      const isUp = isConnected(dashboard.connection)
      const change = (card: Card) => withDepthEvent(card, event, isUp)
      return withCard(dashboard, event.mint, event.at, change, depthText)
    }
    case 'Status': {
      const { status, at } = event
      const connection = withStatus(dashboard.connection, status, at)
      return withCards(withConnection(dashboard, connection, at), status, at)
    }
    case 'Health': {
      const { health, at } = event
      const connection = withHealth(dashboard.connection, health, at)
      return withHealthOfCards(withConnection(dashboard, connection, at), health, at)
    }
    case 'Uncorrelated':
      return { ...dashboard, log: appended(dashboard.log, event.at, uncorrelatedText(event.error)) }
    case 'End':
      return dashboard
    default:
      return assertNever(event)
  }
}

const withCard = (
  dashboard: Dashboard,
  address: Address,
  at: number,
  change: (card: Card) => Card,
  textOf: (before: Card, after: Card) => LogText | undefined,
): Dashboard => {
  const index = dashboard.cards.findIndex(
    ({ token }) => canonicalAddress(token.address) === canonicalAddress(address),
  )
  const before = dashboard.cards[index]
  if (before === undefined) return dashboard
  const after = change(before)
  return {
    ...dashboard,
    cards: dashboard.cards.with(index, after),
    log: appended(dashboard.log, at, textOf(before, after), after.token.symbol),
  }
}

const withCards = (dashboard: Dashboard, { _tag }: ConnectionStatus, at: number): Dashboard => {
  if (_tag === 'Idle' || _tag === 'Connecting') return dashboard
  const change = _tag === 'Open' ? withOpenConnection : withLostConnection
  return { ...dashboard, cards: dashboard.cards.map((card) => change(card, at)) }
}

const withHealthOfCards = (dashboard: Dashboard, health: Health, at: number): Dashboard => {
  const behind = health._tag === 'Up' ? health.behind : undefined
  if (behind === undefined) return dashboard
  return { ...dashboard, cards: dashboard.cards.map((card) => withHeldPrices(card, behind, at)) }
}

const withConnection = (dashboard: Dashboard, connection: Connection, at: number): Dashboard => ({
  ...dashboard,
  connection,
  log: appended(dashboard.log, at, connectionText(dashboard.connection, connection, at)),
})
