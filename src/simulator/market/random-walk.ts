import type { Address } from '../../base/domain/topic.js'
import { integerOption, timerOption } from '../../base/option-kinds/number-option.js'
import { checkedOption, required, type OptionTable } from '../../base/option-kinds/option.js'
import { parseFields, SimulatorError } from '../simulator-error.js'
import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { toUnits, type Market, type Quote } from './market.js'
import { seededRandom, type Random } from './seeded-random.js'
import { walkTokenOf, type TokenOptions, type WalkToken } from './token-options.js'

/** Options of `randomWalk`. */
export interface RandomWalkOptions {
  /** Tokens: addresses, or options of each token. */
  readonly tokens: readonly (Address | TokenOptions)[]
  /** The same seed gives each token the same quotes, independent of other tokens. An integer. Default: 1. */
  readonly seed?: number
  /** Interval between two quotes of a token, in ms. Default: 250. */
  readonly tick?: number
}

export const tokensOption = checkedOption<RandomWalkOptions['tokens']>('array', {
  expected: 'an array of addresses or of { address, symbol, decimals, price }',
  holds: Array.isArray,
})

export const seedOption = integerOption({
  min: Number.MIN_SAFE_INTEGER,
  max: Number.MAX_SAFE_INTEGER,
  default: 1,
})

export const tickOption = timerOption({ default: 250 })

const walkTable = {
  tokens: required(tokensOption),
  seed: seedOption,
  tick: tickOption,
} satisfies OptionTable<RandomWalkOptions>

/**
 * A market whose prices and quantities are mean-reverting random walks around their start values. The n-th quote of a
 * token depends only on the seed and the token's address. Throws a `SimulatorError` if an option is invalid.
 *
 * @example
 * randomWalk({ tokens: ['0xab', { address: '0xcd', symbol: 'CD', price: 2500 }], seed: 7, tick: 100 })
 */
export const randomWalk = (options: RandomWalkOptions): Market => {
  const { tokens: given, seed, tick } = parseFields(walkTable, options, 'option')
  const tokens = given.map(walkTokenOf)
  const addresses = new Set(tokens.map(({ address }) => address))
  if (addresses.size < tokens.length) throw new SimulatorError('tokens', 'duplicate token')
  return {
    tokens: tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
    open: (emit) => {
      const walks = tokens.map((token) => createWalk(token, seed))
      const step = () => walks.forEach((nextQuote) => emit(nextQuote()))
      step()
      const timer = setInterval(step, tick)
      return () => clearInterval(timer)
    },
  }
}

/** The first prices of a token in a random walk. */
export const walkPrices = (token: TokenOptions, seed: number, count: number): readonly number[] => {
  const nextQuote = createWalk(walkTokenOf(token), seed)
  return Array.from({ length: count }, () => nextQuote().price)
}

/** Mean quantity on each side, in USD. */
const meanQuantityUsd = 250_000

/** Smaller values of `volatility` make a walk calmer; see `meanRevertingFactor`. */
const priceWalk: WalkParameters = { volatility: 0.0008, reversion: 0.002 }
const quantityWalk: WalkParameters = { volatility: 0.02, reversion: 0.04 }

const createWalk = (token: WalkToken, seed: number): (() => Quote) => {
  const random = seededRandom(`${seed}:${token.address}`)
  const priceFactor = meanRevertingFactor(random, priceWalk)
  const buyFactor = meanRevertingFactor(random, quantityWalk)
  const sellFactor = meanRevertingFactor(random, quantityWalk)
  const quantity = (factor: number) => {
    const tokens = ((meanQuantityUsd / token.price) * factor).toPrecision(9)
    return toUnits(plainDecimal(Number(tokens)), token.decimals)
  }
  return () => ({
    token: token.address,
    price: Number((token.price * priceFactor()).toPrecision(9)),
    buy: quantity(buyFactor()),
    sell: quantity(sellFactor()),
  })
}

interface WalkParameters {
  /** A step changes the factor by at most 1.5 times this value. */
  readonly volatility: number
  /** Fraction of the deviation from 1 that is removed at each step. */
  readonly reversion: number
}

/** Starts at 1; deviates by at most `1.5 * volatility / reversion`. Additions and multiplications give the same on every machine. */
const meanRevertingFactor = (random: Random, { volatility, reversion }: WalkParameters): (() => number) => {
  let deviation = 0
  return () => {
    const factor = 1 + deviation
    deviation += volatility * (random() + random() + random() - 1.5) - reversion * deviation
    return factor
  }
}
