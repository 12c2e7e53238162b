import { SimulatorError } from '../simulator-error.js'
import type { Market } from './market.js'
import { lowerCase } from './token-options.js'

/**
 * Combines several markets into one. Throws a `SimulatorError` if two markets have the same token.
 *
 * @example
 * combinedMarket(recordedMarket(), randomWalk({ tokens: ['0xab'] }))
 */
export const combinedMarket = (...markets: readonly Market[]): Market => {
  const tokens = markets.flatMap((market) => market.tokens)
  const seen = new Set<string>()
  for (const { address } of tokens) {
    if (seen.has(lowerCase(address))) {
      throw new SimulatorError('market', `${address} is in two markets; remove it from one`)
    }
    seen.add(lowerCase(address))
  }
  return {
    tokens,
    open: (emit) => {
      const closers = markets.map((market) => market.open(emit))
      return () => closers.forEach((close) => close())
    },
  }
}
