import type { Address } from '../../domain/address.js'

/** A base token that the service lists. */
export interface Token {
  /** Its contract address. Case carries no meaning. */
  readonly address: Address
  /** What people call it. */
  readonly symbol: string
  /** One token is 10 to the power of this many units. */
  readonly decimals: number
}

/** The state of one token's market from now on. */
export interface Quote {
  readonly token: Address
  /** Midpoint price in USD; finite and above zero. */
  readonly price: number
  /** What can be bought at it, in base-token units. */
  readonly buy: bigint
  /** What can be sold at it, in base-token units. */
  readonly sell: bigint
}

/**
 * Where the simulator's prices come from. The simulator opens it once, with the first request or subscription, so
 * that what a client sees does not depend on how long it took to connect.
 *
 * @example
 * // A market that a test moves by hand.
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
   * Begins to quote: each token once before it returns (a token without a quote passes for unsupported), and then
   * at every change. Returns what ends it. Each call is a run of its own, from the beginning.
   */
  readonly open: (emit: (quote: Quote) => void) => () => void
}
