import type { Market, Quote, Token } from 'svc-streams/simulator'
import { usdc, wbtc, weth } from '../../support/tokens.js'

/** A market whose price is the time at which it was emitted, in ms since the epoch: its age is known in every process. */
export interface ClockMarket extends Market {
  /** All prices so far, ascending. Those of all tokens are equal. */
  readonly prices: readonly number[]
  /** The number of ticks so far, also those without a price. */
  readonly ticks: number
  /** While true, no price is emitted. */
  isSilent: boolean
  readonly stop: () => void
}

const tokens: readonly Token[] = [
  { address: weth, symbol: 'ETH', decimals: 18 },
  { address: wbtc, symbol: 'BTC', decimals: 8 },
  { address: usdc, symbol: 'USDC', decimals: 6 },
]

/** Starts a market. All simulators that open it emit the same prices. `tick`: the time between two prices, in ms. */
export const startClockMarket = (tick: number): ClockMarket => {
  const listeners = new Set<(quote: Quote) => void>()
  const prices: number[] = [Date.now()]
  const emit = (listener: (quote: Quote) => void): void => {
    for (const { address } of tokens) {
      listener({ token: address, price: prices.at(-1) ?? 0, buy: 10n ** 18n, sell: 10n ** 18n })
    }
  }
  let ticks = 0
  const timer = setInterval(() => {
    ticks++
    if (market.isSilent) return
    prices.push(Math.max((prices.at(-1) ?? 0) + 1, Date.now()))
    listeners.forEach(emit)
  }, tick)
  const market: ClockMarket = {
    tokens,
    isSilent: false,
    get ticks() {
      return ticks
    },
    prices,
    open: (listener) => {
      listeners.add(listener)
      emit(listener)
      return () => listeners.delete(listener)
    },
    stop: () => clearInterval(timer),
  }
  return market
}
