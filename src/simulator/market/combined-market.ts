import { SimulatorError } from '../simulator-error.js'
import type { Market } from './market.js'
import { lowerCased } from './token.js'

/**
 * Several markets as one. A token may be in one of them only.
 *
 * @example
 * combinedMarket(recordedMarket(), randomWalk({ tokens: ['0xab'] }))
 */
export const combinedMarket = (...markets: readonly Market[]): Market => {
  const tokens = markets.flatMap((market) => market.tokens)
  const seen = new Set<string>()
  for (const { address } of tokens) {
    if (seen.has(lowerCased(address))) {
      throw new SimulatorError('market', `${address} is in two markets; leave it out of one`)
    }
    seen.add(lowerCased(address))
  }
  return {
    tokens,
    open: (emit) => {
      const ends = markets.map((market) => market.open(emit))
      return () => ends.forEach((end) => end())
    },
  }
}
