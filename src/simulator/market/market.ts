import type { Address } from '../../base/domain/topic.js'
import { SimulatorError } from '../simulator-error.js'

/** A base token that the service supports. */
export interface Token {
  /** Contract address, in any case. */
  readonly address: Address
  readonly symbol: string
  /** One token is 10 to the power of `decimals` units. */
  readonly decimals: number
}

/** Price and quantities of one token. */
export interface Quote {
  /** Address of the base token. */
  readonly token: Address
  /** Midpoint price in USD; finite and above 0. */
  readonly price: number
  /** Quantity that can be bought, in base-token units. */
  readonly buy: bigint
  /** Quantity that can be sold, in base-token units. */
  readonly sell: bigint
}

/**
 * A source of prices. The simulator opens it once, at the first request or subscription, so that prices do not depend
 * on how long a client takes to connect.
 *
 * @example
 * // A market that a test controls.
 * import type { Market, Quote } from 'svc-streams/simulator'
 * let move: (quote: Quote) => void
 * const market: Market = {
 *   tokens: [{ address: '0xab', symbol: 'AB', decimals: 18 }],
 *   open(emit) {
 *     move = emit
 *     emit({ token: '0xab', price: 12.5, buy: 10n ** 18n, sell: 10n ** 18n })
 *     return () => undefined
 *   },
 * }
 */
export interface Market {
  readonly tokens: readonly Token[]
  /**
   * Starts the market. Emits a quote of each token before it returns (a token without a quote is unsupported), then
   * one at every change. Returns a function that stops the market. Each call starts again from the beginning.
   */
  readonly open: (emit: (quote: Quote) => void) => () => void
}

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

/** The spelling that the simulator uses as a key. */
export const lowerCase = (address: Address): Address => address.toLowerCase() as Address

/** Converts an amount of tokens, as decimal text, to base-token units. Truncates fractions of a unit. */
export const toUnits = (tokens: string, decimals: number): bigint => {
  const [whole = '', fraction = ''] = tokens.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/** Converts base-token units to an amount of tokens, with the precision of a float. */
export const toTokens = (units: bigint, decimals: number): number => Number(units) / 10 ** decimals

/** Midpoint of bid and ask, without rounding errors of binary fractions. */
export const midpoint = (bid: number, ask: number): number => Number(((bid + ask) / 2).toPrecision(12))
