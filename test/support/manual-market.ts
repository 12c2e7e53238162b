import type { Market, Quote } from 'svc-streams/simulator'

export const ether = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
export const bitcoin = '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'
export const quote = '0xaf88d065e77c8cc2239327c5edb3a432268e5831'

/** A market that stands still until it is moved. */
export interface ManualMarket extends Market {
  readonly move: (change: Partial<Quote>) => void
  readonly runs: { opened: number; ended: number }
}

/** Ether at 2500 USD and bitcoin at 60 000 USD, until `move` says otherwise. */
export const manualMarket = (): ManualMarket => {
  const emits = new Set<(quote: Quote) => void>()
  const runs = { opened: 0, ended: 0 }
  const still: Quote = { token: ether, price: 2500, buy: 3n * 10n ** 18n, sell: 10n ** 18n }
  return {
    tokens: [
      { address: ether, symbol: 'ETH', decimals: 18 },
      { address: bitcoin, symbol: 'BTC', decimals: 8 },
    ],
    open: (emit) => {
      runs.opened += 1
      emits.add(emit)
      emit(still)
      emit({ token: bitcoin, price: 60_000, buy: 10n ** 8n, sell: 10n ** 8n })
      return () => {
        runs.ended += 1
        emits.delete(emit)
      }
    },
    move: (change) => emits.forEach((emit) => emit({ ...still, ...change })),
    runs,
  }
}
