/**
 * Trades the orders of a strategy on paper: live, over a replay, and in a sweep.
 *
 * @module
 */

export { paper } from './on-node.js'
export { journalEvents } from './journal/journal-events.js'
export type { MarketClient, PaperAccount, PaperStrategy } from './paper-run.js'
export { renderReport, type ReportData, type ReportOptions } from './report/render-report.js'
export {
  summary,
  summaryOf,
  type AnnualFigures,
  type Summary,
  type SummaryFold,
  type SummaryOptions,
} from './summary.js'
export { roundTripsOf, type RoundTrip } from './round-trips.js'
export type { PaperOptions } from './options.js'
export type {
  Account,
  Cancelled,
  Equity,
  Filled,
  HeldPosition,
  Liquidated,
  OpenOrder,
  PaperEvent,
  Position,
  Rejected,
} from './events.js'
export { cancel, closePosition, limit, market, stop, target, trailingStop } from './orders.js'
export type {
  CancelOrder,
  ClosePositionOrder,
  LimitOrder,
  MarketOrder,
  Order,
  OrderOptions,
  Side,
  Size,
  StopOrder,
  TargetOrder,
  TradeOrder,
  TrailingStopOrder,
} from './orders.js'
