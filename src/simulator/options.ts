import { randomBytes } from 'node:crypto'
import type { Address } from '../domain/address.js'
import type { Signal } from '../domain/signal.js'
import { checkFields, milliseconds, portCheck, type Checks } from './check.js'
import type { Faults } from './faults/faults.js'
import { combinedMarket } from './market/combined-market.js'
import { btc, eth } from './market/known-tokens.js'
import type { Market } from './market/market.js'
import { randomWalk, seedCheck, tokensCheck } from './market/random-walk.js'
import { recordedMarket } from './market/recorded-market.js'
import type { TokenOptions } from './market/token-options.js'
import { SimulatorError } from './simulator-error.js'

/** Options of `startSimulator`. A wrong value or an unknown name throws a `SimulatorError`. */
export interface SimulatorOptions {
  /** Port of the relayer API and of the price reporter's HTTP endpoint. Default: 0, any free port. */
  readonly httpPort?: number
  /** Port of the price reporter's WebSocket endpoint. Default: 0, any free port. */
  readonly wsPort?: number
  /**
   * Source of prices; several markets are combined. Default: `randomWalk({ tokens, seed, tick })` if `tokens`, `seed`
   * or `tick` is given, otherwise `recordedMarket()`. Giving both `market` and one of these three is an error.
   */
  readonly market?: Market | readonly Market[]
  /** Tokens of the random walk: addresses, or options of each token. Default: ETH and BTC. */
  readonly tokens?: readonly (Address | TokenOptions)[]
  /** Seed of the random walk: the same seed gives the same prices. Default: 1. */
  readonly seed?: number
  /** Interval between two prices of a token of the random walk, in ms. Default: 250. */
  readonly tick?: number
  /** Time without a change after which the last price is published again, in ms. Default: 10 000. */
  readonly repeat?: number
  /** Key that depth requests must be signed with, base64. Default: 32 random bytes. */
  readonly authKey?: string
  /** Name of the service: prefix of topics and of signed headers. Default: `svc`. */
  readonly service?: string
  /** Faults that are injected from the start. Default: none. */
  readonly faults?: Faults
  /** Closes the simulator when aborted. */
  readonly signal?: Signal
}

/** Options with their defaults. */
export interface Setup {
  readonly httpPort: number
  readonly wsPort: number
  readonly market: Market
  readonly seed: number
  readonly tick: number
  readonly repeat: number
  readonly authKey: string
  readonly service: string
  readonly faults: Faults
  readonly signal: Signal | undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isMarket = (value: unknown): boolean =>
  isObject(value) && 'open' in value && 'tokens' in value && Array.isArray(value.tokens)

/** Digits in fours, in either alphabet; the last may lack its padding, but not be a lone digit. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/

const checks: Checks<SimulatorOptions> = {
  httpPort: portCheck,
  wsPort: portCheck,
  market: {
    expected: 'a market or an array of markets, such as recordedMarket()',
    holds: (value) => [value].flat().every(isMarket),
  },
  tokens: tokensCheck,
  seed: seedCheck,
  tick: milliseconds,
  repeat: milliseconds,
  authKey: {
    expected: 'a base64 text of at least one byte; leave it out for a random key',
    holds: (value) =>
      typeof value === 'string' && base64.test(value.replaceAll('-', '+').replaceAll('_', '/')),
    secret: true,
  },
  service: {
    expected: 'letters and digits, with single hyphens or underscores between them',
    holds: (value) => typeof value === 'string' && /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/.test(value),
  },
  faults: { expected: 'an object of faults', holds: isObject },
  signal: { expected: 'an AbortSignal', holds: (value) => value instanceof AbortSignal },
}

/** Throws a `SimulatorError` that names the option at fault. */
export const checkOptions = (options: SimulatorOptions): Setup => {
  checkFields(options, checks, 'option')
  return {
    httpPort: options.httpPort ?? 0,
    wsPort: options.wsPort ?? 0,
    market: chooseMarket(options),
    seed: options.seed ?? 1,
    tick: options.tick ?? 250,
    repeat: options.repeat ?? 10_000,
    authKey: options.authKey ?? randomBytes(32).toString('base64'),
    service: options.service ?? 'svc',
    faults: options.faults ?? {},
    signal: options.signal,
  }
}

const chooseMarket = ({ market, tokens, seed, tick }: SimulatorOptions): Market => {
  const isWalk = tokens !== undefined || seed !== undefined || tick !== undefined
  if (market === undefined) {
    return isWalk
      ? randomWalk({ tokens: tokens ?? [eth, btc], seed: seed ?? 1, tick: tick ?? 250 })
      : recordedMarket()
  }
  if (isWalk) {
    const instead = 'give them to it, as in market: randomWalk({ tokens, seed, tick })'
    throw new SimulatorError(
      'market',
      `tokens, seed and tick have no meaning for a market that is given; ${instead}`,
    )
  }
  return combinedMarket(...(isMany(market) ? market : [market]))
}

const isMany = (market: Market | readonly Market[]): market is readonly Market[] => Array.isArray(market)
