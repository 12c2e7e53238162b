import { right } from 'fp-ts/lib/Either.js'
import { asyncScheduler, bufferCount, connect, filter, groupBy, map, merge, mergeMap, timer } from 'rxjs'
import { withLatestFrom, zip, type Observable } from 'rxjs'
import { defineTokens, type Topic } from 'svc-streams'
import type { History } from 'svc-streams/history'
import { candles, rights, rolling } from 'svc-streams/operators'
import { closePosition, target, type MarketClient, type Order } from 'svc-streams/paper'
import type { PaperAccount, PaperOptions } from 'svc-streams/paper'

// A pair of tokens: buys the cheap one and sells the dear one when the ratio of their closes is far from its mean. The mean
// needs `count` candles; with a history it has them at once.

const tokens = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})
const costs = { feeBps: 2, slippageBps: 1, latency: 50 }
export const options: PaperOptions = { tokens, cash: 100_000, allowShort: true, ...costs }

const defaults = { usd: 2_000, ms: 60_000, count: 30, entry: 2, exit: 0.5 }
type PairClient = MarketClient & { readonly history?: History }

/** The ratio of the closes of each window in which both tokens are current, first of those of the history. */
const ratio$ = ({ price$, history }: PairClient, ms: number, from: number) => {
  const leg$ = (topic: Topic, power: 1 | -1) =>
    price$(topic).pipe(
      candles(ms, { ...(history && { past$: history.prices$(topic, { from }) }), fill: true }),
      rights(),
      map(({ to, close, isCurrent }) => ({ to, isCurrent, factor: close ** power })),
    )
  // The past of one token comes before that of the other: the end of the window joins their candles.
  return merge(leg$(tokens.BTC.topic, 1), leg$(tokens.ETH.topic, -1)).pipe(
    groupBy(({ to }) => to, { duration: () => timer(2 * ms) }),
    mergeMap((window$) => window$.pipe(bufferCount(2))),
    filter((both) => both.length === 2 && both.every(({ isCurrent }) => isCurrent)),
    map((both) => ({
      to: both[0]?.to ?? 0,
      ratio: both.reduce((product, { factor }) => product * factor, 1),
    })),
  )
}

/** The z-score of the ratio after each candle that ends now. */
const zScore$ = (client: PairClient, ms: number, count: number) =>
  ratio$(client, ms, asyncScheduler.now() - (count + 1) * ms).pipe(
    connect((pair$) => {
      const ratios$ = pair$.pipe(map(({ ratio }) => right(ratio)))
      return zip(pair$, ratios$.pipe(rolling({ count }), rights()))
    }),
    filter(([{ to }]) => asyncScheduler.now() - to < ms),
    map(([, { isFull, zScore }]) => (isFull ? (zScore ?? 0) : 0)),
  )

export default (
  client: PairClient,
  { fill$, position, open$, equity$ }: PaperAccount,
  { usd, ms, count, entry, exit } = defaults,
): Observable<Order> => {
  const legOf = (symbol: 'ETH' | 'BTC', price = 0) =>
    ({ symbol, usd: (Number(position(symbol).quantity) / 10 ** tokens[symbol].decimals) * price }) as const
  // A fill may be in part, or a price may move: each fill and each candle first corrects the larger leg.
  return merge(zScore$(client, ms, count), fill$).pipe(
    withLatestFrom(open$, equity$),
    mergeMap(([event, { length }, { prices }]) => {
      if (length > 0) return []
      const legs = [legOf('ETH', prices['ETH']), legOf('BTC', prices['BTC'])] as const
      const [small, large] = Math.abs(legs[0].usd) < Math.abs(legs[1].usd) ? legs : [legs[1], legs[0]]
      const hedge = small.usd === 0 ? closePosition(large.symbol) : target(large.symbol, { usd: -small.usd })
      if (Math.abs(small.usd + large.usd) > 0.05 * usd) return [hedge]
      if (typeof event !== 'number') return []
      const close = [closePosition('BTC'), closePosition('ETH')]
      if (large.usd !== 0) return Math.abs(event) < exit ? close : []
      const btcUsd = -Math.sign(event) * usd
      const open = [target('BTC', { usd: btcUsd }), target('ETH', { usd: -btcUsd })]
      return Math.abs(event) < entry ? [] : open
    }),
  )
}
