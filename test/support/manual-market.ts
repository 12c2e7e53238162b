import type { Market, Quote } from 'svc-streams/simulator'
import { wbtc, weth } from './tokens.js'

/** A market whose quotes change only by `update`. */
export interface ManualMarket extends Market {
  /** Emits a quote of WETH: the initial one with these changes. */
  readonly update: (change: Partial<Quote>) => void
  /** How often the market was opened and closed. */
  readonly runCounts: { opened: number; closed: number }
}

/** Initially WETH at 2500 USD and WBTC at 60 000 USD. */
export const manualMarket = (): ManualMarket => {
  const subscribers = new Set<(quote: Quote) => void>()
  const runCounts = { opened: 0, closed: 0 }
  const initial: Quote = { token: weth, price: 2500, buy: 3n * 10n ** 18n, sell: 10n ** 18n }
  return {
    tokens: [
      { address: weth, symbol: 'ETH', decimals: 18 },
      { address: wbtc, symbol: 'BTC', decimals: 8 },
    ],
    open: (emit) => {
      runCounts.opened += 1
      subscribers.add(emit)
      emit(initial)
      emit({ token: wbtc, price: 60_000, buy: 10n ** 8n, sell: 10n ** 8n })
      return () => {
        runCounts.closed += 1
        subscribers.delete(emit)
      }
    },
    update: (change) => subscribers.forEach((emit) => emit({ ...initial, ...change })),
    runCounts,
  }
}
