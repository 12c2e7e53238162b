import { map, type Observable } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { closePosition, target, type MarketClient, type Order, type PaperOptions } from 'svc-streams/paper'
import { advice$, mint } from './strategy.js'

// The strategy on a paper account, for the commands paper and backtest.

const tokens = defineTokens({ WETH: { address: mint, decimals: 18 } })

export const options: PaperOptions = { tokens, cash: 10_000, latency: 50, feeBps: 2, slippageBps: 1 }

/** Holds 1000 USD of WETH while the advice is to buy. */
export default (client: MarketClient): Observable<Order> =>
  advice$(client).pipe(
    map((advice) => (advice === 'buy' ? target('WETH', { usd: 1_000 }) : closePosition('WETH'))),
  )
