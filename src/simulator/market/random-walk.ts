import type { Address } from '../../domain/address.js'
import { checkValue, integer, milliseconds, type Check } from '../check.js'
import { SimulatorError } from '../simulator-error.js'
import { plainDecimal, toUnits } from './decimal.js'
import type { Market, Quote } from './market.js'
import { seededRandom, type Random } from './random.js'
import { toWalkToken, type TokenOptions, type WalkToken } from './token.js'

export interface RandomWalkOptions {
  /** The tokens, as addresses or with what is known of them. */
  readonly tokens: readonly (Address | TokenOptions)[]
  /** The same seed gives each token the same quotes, whatever other tokens there are. A whole number. Default: 1. */
  readonly seed?: number
  /** From one quote of a token to its next, in ms. Default: 250. */
  readonly tick?: number
}

export const tokensCheck: Check = {
  expected: 'an array of addresses or of { address, symbol, decimals, price }',
  holds: Array.isArray,
}

export const seedCheck = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'a whole number')

/**
 * Prices and depths that wander about where they started, for any number of tokens. The n-th quote of a token
 * follows from the seed and its address alone.
 *
 * @example
 * randomWalk({ tokens: ['0xab', { address: '0xcd', symbol: 'CD', price: 2500 }], seed: 7, tick: 100 })
 */
export const randomWalk = ({ tokens: given, seed = 1, tick = 250 }: RandomWalkOptions): Market => {
  checkValue('tokens', given, tokensCheck)
  checkValue('seed', seed, seedCheck)
  checkValue('tick', tick, milliseconds)
  const tokens = given.map(toWalkToken)
  const addresses = new Set(tokens.map(({ address }) => address))
  if (addresses.size < tokens.length)
    throw new SimulatorError('tokens', 'a token is there twice; name each once')
  return {
    tokens: tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
    open: (emit) => {
      const walks = tokens.map((token) => createWalk(token, seed))
      const step = () => walks.forEach((next) => emit(next()))
      step()
      const timer = setInterval(step, tick)
      return () => clearInterval(timer)
    },
  }
}

/** About so much can be bought, and sold, in USD. */
const usualDepth = 250_000

const createWalk = (token: WalkToken, seed: number): (() => Quote) => {
  const random = seededRandom(`${seed}:${token.address}`)
  const price = wander(random, 0.0008, 0.002)
  const buy = wander(random, 0.02, 0.04)
  const sell = wander(random, 0.02, 0.04)
  const units = (factor: number) => {
    const tokens = ((usualDepth / token.price) * factor).toPrecision(9)
    return toUnits(plainDecimal(Number(tokens)), token.decimals)
  }
  return () => ({
    token: token.address,
    price: Number((token.price * price()).toPrecision(9)),
    buy: units(buy()),
    sell: units(sell()),
  })
}

/**
 * A factor about 1 that begins there, moves by up to 1.5 `reach` a step, and is drawn back by `pull` of what it is
 * off: so it stays within 1.5 `reach / pull`. Additions and multiplications only: exact on every machine.
 */
const wander = (random: Random, reach: number, pull: number): (() => number) => {
  let offset = 0
  return () => {
    const factor = 1 + offset
    offset += reach * (random() + random() + random() - 1.5) - pull * offset
    return factor
  }
}
