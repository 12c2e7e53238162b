import { map, merge, mergeMap, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { combineFresh, mapRight } from 'svc-streams/operators'
import type { MarketClient } from './market.js'
import { buy, sell, type Order, type Side } from './order.js'
import { paperTrade$ } from './paper-trade.js'
import { toReport$, type Report } from './report/report.js'
import { summaryOf, type Summary } from './report/summary.js'
import type { PaperOptions } from './settings.js'
import { reversions$, type Reversion } from './signals.js'

// Two mean reversions: the price of ETH, and the spread between BTC and ETH. Edit this file; the others need no change.

export const tokens = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})
const { ETH, BTC } = tokens

export interface Parameter extends Reversion {
  /** The size of each order, in USD. */
  readonly usd: number
}

export const defaultParameter: Parameter = { window: 40, entryBps: 3, usd: 2_000 }

export const account = {
  tokens: Object.values(tokens),
  cash: 100_000,
  feeBps: 2,
  latency: 50,
  interval: 500, // of the depth polls, in ms
  allowShort: true,
  sampleEvery: 250, // between two points of the equity curve, in ms
} satisfies PaperOptions

/** A strategy decides on data alone, never on a clock: then it decides the same over a recording. */
export const order$ = (client: MarketClient, parameter: Parameter): Observable<Order> => {
  const usd = { usd: parameter.usd }
  const price$ = client.price$(ETH.topic).pipe(mapRight(({ price }) => price))
  const eth$ = reversions$(price$, parameter).pipe(map((side) => orderOf(side, 'ETH', usd)))

  const legs$ = combineFresh(
    { btc: client.price$(BTC.topic), eth: client.price$(ETH.topic) },
    { maxSkew: 15_000 }, // the service repeats an unchanged price every 10 s
  )
  const ratio$ = legs$.pipe(mapRight(({ btc, eth }) => btc.price / eth.price))
  const spread$ = reversions$(ratio$, parameter).pipe(
    mergeMap((side) => [orderOf(side, 'BTC', usd), orderOf(opposite(side), 'ETH', usd)]),
  )
  return merge(eth$, spread$)
}

const orderOf = (side: Side, symbol: string, size: Order['size']): Order =>
  side === 'buy' ? buy(symbol, size) : sell(symbol, size)

const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy')

/** Emits the report of a run when the streams of the client have completed. */
export const report$ = (client: MarketClient, parameter = defaultParameter): Observable<Report> =>
  toReport$(paperTrade$(client, (market) => order$(market, parameter), account))

/** The strategy for `npx svc-streams sweep`: one summary per parameter. */
export default (client: MarketClient, parameter: Parameter): Observable<Summary> =>
  report$(client, parameter).pipe(map(summaryOf))
