import type { Address } from '../base/domain/topic.js'
import { portOption, timerOption } from '../base/option-kinds/number-option.js'
import {
  checkedOption,
  flagOption,
  objectWith,
  plainObject,
  stringOption,
  withDefault,
  type OptionTable,
  type Signal,
} from '../base/option-kinds/option.js'
import type { Completed } from '../base/option-kinds/parse-options.js'
import { parseFields, SimulatorError } from './simulator-error.js'
import type { Faults } from './faults/faults.js'
import { btc, eth, type TokenOptions } from './market/token-options.js'
import { combinedMarket, type Market } from './market/market.js'
import { randomWalk, seedOption, tickOption, tokensOption } from './market/random-walk.js'
import { recordedMarket } from './market/recorded-market.js'

/** Options of `startSimulator`. It rejects with a `SimulatorError` for a wrong value or an unknown name. */
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
  /** Key of the signatures of depth requests, in base64. Default: 32 random bytes. */
  readonly authKey?: string
  /** Name of the service: prefix of topics and of signed headers. Default: `svc`. */
  readonly service?: string
  /** Answers pages of any origin, including preflight requests. Default: `false`. */
  readonly cors?: boolean
  /** Faults from the start. Default: none. */
  readonly faults?: Faults
  /** Closes the simulator when aborted. */
  readonly signal?: Signal
}

const isMarket = (value: unknown): boolean =>
  objectWith(['open']).holds(value) && Array.isArray((value as Market).tokens)

/** Groups of four digits, in either alphabet. The last group may be short and unpadded, but not a single digit. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/

/** @internal */
export const simulatorTable = {
  httpPort: portOption(),
  wsPort: portOption(),
  market: checkedOption<Market | readonly Market[]>('object', {
    expected: 'a market or an array of markets, such as recordedMarket()',
    holds: (value) => [value].flat().every(isMarket),
  }),
  tokens: tokensOption,
  seed: seedOption,
  tick: tickOption,
  repeat: timerOption({ default: 10_000 }),
  authKey: checkedOption<string>('string', {
    expected: 'a base64 string of at least one byte; omit it for a random key',
    holds: (value) =>
      typeof value === 'string' && base64.test(value.replaceAll('-', '+').replaceAll('_', '/')),
    secret: true,
  }),
  service: withDefault(
    stringOption(
      /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
      'letters and digits, with single hyphens or underscores between them',
    ),
    'svc',
  ),
  cors: flagOption(false),
  faults: withDefault(
    checkedOption<Faults>('object', { ...plainObject, expected: 'an object of faults' }),
    {},
  ),
  signal: checkedOption<Signal>('object', {
    expected: 'an AbortSignal',
    holds: (value) => value instanceof AbortSignal,
  }),
} satisfies OptionTable<SimulatorOptions>

/**
 * Options that are checked and completed by their defaults.
 *
 * @internal
 */
export interface Setup extends Omit<Completed<typeof simulatorTable>, 'tokens'> {
  readonly market: Market
  readonly authKey: string
}

/**
 * Throws a `SimulatorError` that names the first invalid option.
 *
 * @internal
 */
export const parseSimulatorOptions = (options: SimulatorOptions): Setup => {
  const { tokens, market, authKey = randomKey(), ...setup } = parseFields(simulatorTable, options, 'option')
  const { seed, tick } = setup
  const isWalk = [options.tokens, options.seed, options.tick].some((given) => given !== undefined)
  if (market !== undefined && isWalk) {
    const instead = 'pass them to the market, as in market: randomWalk({ tokens, seed, tick })'
    throw new SimulatorError(
      'market',
      `tokens, seed and tick have no effect with a custom market; ${instead}`,
    )
  }
  const ownMarket = () =>
    isWalk ? randomWalk({ tokens: tokens ?? [eth, btc], seed, tick }) : recordedMarket()
  return {
    ...setup,
    authKey,
    market: market === undefined ? ownMarket() : combinedMarket(...[market].flat()),
  }
}

const randomKey = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')
