/**
 * Trades the orders of a strategy on paper: live, over a replay, and in a sweep.
 *
 * @module
 */

import { openJournalFile } from '../account/journal/journal-file.js'
import { paperOn } from '../account/paper.js'

export { journalEvents } from '../account/journal/journal-file.js'
export type { MarketClient, PaperAccount, PaperStrategy } from '../account/run.js'
export { renderReport, type ReportGaps, type ReportOptions } from '../results/render-report.js'
export type { Summary } from '../results/figures.js'
export type { AnnualFigures } from '../results/returns.js'
export { summary, summaryOf, type SummaryFold, type SummaryOptions } from '../results/summary.js'
export { roundTripsOf, type RoundTrip } from '../results/round-trips.js'
export type { PaperOptions } from '../account/options.js'
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
} from '../account/events.js'
export { cancel, closePosition, limit, market, stop, target, trailingStop } from '../account/orders.js'
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
} from '../account/orders.js'

/**
 * Trades the orders of a strategy on paper. Each subscription is a run of its own, until the streams of the client
 * complete: at `close()` of a live client, at the end of a replay. Emits fills, rejections, the value of the account, and
 * the account at the end.
 *
 * - A fill needs a price that was received `latency` ms or more after the decision and is current, and a depth that is
 *   current with it. While one of them is not, market orders that are due are rejected, and other orders wait.
 * - Time is data time, the latest `receivedAt`: a live run, a replay of its recording and a sweep have the same events.
 * - An order that is not valid is `Rejected`, and affects no other. An Rx error of the strategy is an Rx error of the run.
 *
 * Throws a `ConfigurationError` for an invalid value and a misspelt option name.
 *
 * @function
 * @example
 * import { map, take } from 'rxjs'
 * import { rights } from 'svc-streams/operators'
 * import { market, paper } from 'svc-streams/paper'
 * const tokens = defineTokens({
 *   WETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
 * })
 * const event$ = paper(
 *   client,
 *   ({ price$ }) => price$(tokens.WETH.topic).pipe(rights(), take(1), map(() => market('WETH', 'buy', { usd: 1_000 }))),
 *   { tokens, cash: 100_000, feeBps: 2, slippageBps: 1, latency: 50 },
 * )
 */
// eslint-disable-next-line rxjs-x/finnish -- `paper` without `$` is the public name
export const paper = paperOn(openJournalFile)
