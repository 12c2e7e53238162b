import type { Address } from '../domain/address.js'
import type { Signal } from '../domain/signal.js'
import type { Faults } from './faults/faults.js'
import type { Market } from './market/market.js'
import type { TokenOptions } from './market/token-options.js'

/** Options of `startSimulator`. A wrong value or an unknown name throws a `SimulatorError`. */
export interface SimulatorOptions {
  /** Port of the relayer API and of prices over HTTP; 0 picks a free port. Default: 0. */
  readonly httpPort?: number
  /** Port of live prices over WebSocket; 0 picks a free port. Default: 0. */
  readonly wsPort?: number
  /**
   * Source of prices; several markets are combined. With `tokens`, `seed` or `tick` it is an error. Default:
   * `recordedMarket()`, or `randomWalk({ tokens, seed, tick })` if one of these is given.
   */
  readonly market?: Market | readonly Market[]
  /** Tokens of the random walk, as addresses or with symbol, decimals and price. Default: ETH and BTC. */
  readonly tokens?: readonly (Address | TokenOptions)[]
  /** Seed of the random walk; the same seed gives the same prices. Default: 1. */
  readonly seed?: number
  /** Interval between prices of the random walk, in ms. Default: 250. */
  readonly tick?: number
  /** Time without a change after which a price is published again, in ms. Default: 10 000. */
  readonly repeat?: number
  /** Key that depth requests must be signed with, in base64. Default: 32 random bytes. */
  readonly authKey?: string
  /** Name of the service: prefix of topics and of signed headers. Default: `svc`. */
  readonly service?: string
  /** Answers browsers of any origin, preflight requests included. Default: `false`. */
  readonly cors?: boolean
  /** Faults from the start. Default: none. */
  readonly faults?: Faults
  /** Closes the simulator when aborted. */
  readonly signal?: Signal
}
