import { randomBytes } from 'node:crypto'
import type { Address } from '../domain/address.js'
import type { Signal } from '../domain/signal.js'
import { portOption, timerOption } from '../options/number-option.js'
import { checkedOption, stringOption, type OptionTable } from '../options/option.js'
import { checkFields } from './check.js'
import type { Faults } from './faults/faults.js'
import { combinedMarket } from './market/combined-market.js'
import { btc, eth } from './market/known-tokens.js'
import type { Market } from './market/market.js'
import { randomWalk, seedOption, tickOption, tokensOption } from './market/random-walk.js'
import { recordedMarket } from './market/recorded-market.js'
import type { TokenOptions } from './market/token-options.js'
import { SimulatorError } from './simulator-error.js'

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
  /** Faults from the start. Default: none. */
  readonly faults?: Faults
  /** Closes the simulator when aborted. */
  readonly signal?: Signal
}

/** Options that are checked and completed by their defaults. */
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

/** Groups of four digits, in either alphabet. The last group may be short and unpadded, but not a single digit. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)$/

export const simulatorTable = {
  httpPort: portOption({
    meaning: 'Port of the relayer API and of prices over HTTP; 0 picks a free port',
    default: 0,
  }),
  wsPort: portOption({ meaning: 'Port of live prices over WebSocket; 0 picks a free port', default: 0 }),
  market: checkedOption<Market | readonly Market[]>(
    'object',
    {
      expected: 'a market or an array of markets, such as recordedMarket()',
      holds: (value) => [value].flat().every(isMarket),
    },
    {
      meaning: 'Source of prices; several markets are combined',
      defaultText: '`recordedMarket()`, or `randomWalk({ tokens, seed, tick })` if one of these is given',
    },
  ),
  tokens: tokensOption,
  seed: seedOption,
  tick: tickOption,
  repeat: timerOption({
    meaning: 'Time without a change after which a price is published again',
    default: 10_000,
  }),
  authKey: checkedOption<string>(
    'string',
    {
      expected: 'a base64 string of at least one byte; omit it for a random key',
      holds: (value) =>
        typeof value === 'string' && base64.test(value.replaceAll('-', '+').replaceAll('_', '/')),
      secret: true,
    },
    { meaning: 'Key that depth requests must be signed with, in base64', defaultText: '32 random bytes' },
  ),
  service: stringOption(
    /^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/,
    'letters and digits, with single hyphens or underscores between them',
    { meaning: 'Name of the service: prefix of topics and of signed headers', default: 'svc' },
  ),
  faults: checkedOption<Faults>(
    'object',
    { expected: 'an object of faults', holds: isObject },
    { meaning: 'Faults from the start', defaultText: 'none' },
  ),
  signal: checkedOption<Signal>(
    'object',
    { expected: 'an AbortSignal', holds: (value) => value instanceof AbortSignal },
    { meaning: 'Closes the simulator when aborted' },
  ),
} satisfies OptionTable<SimulatorOptions>

/** Throws a `SimulatorError` that names the first invalid option. */
export const checkSimulatorOptions = (options: SimulatorOptions): Setup => {
  checkFields(options, simulatorTable, 'option')
  return {
    httpPort: options.httpPort ?? simulatorTable.httpPort.default,
    wsPort: options.wsPort ?? simulatorTable.wsPort.default,
    market: marketOf(options),
    seed: options.seed ?? seedOption.default,
    tick: options.tick ?? tickOption.default,
    repeat: options.repeat ?? simulatorTable.repeat.default,
    authKey: options.authKey ?? randomBytes(32).toString('base64'),
    service: options.service ?? simulatorTable.service.default,
    faults: options.faults ?? {},
    signal: options.signal,
  }
}

const marketOf = ({ market, tokens, ...rest }: SimulatorOptions): Market => {
  const isWalk = tokens !== undefined || rest.seed !== undefined || rest.tick !== undefined
  if (market === undefined) {
    const { seed = seedOption.default, tick = tickOption.default } = rest
    return isWalk ? randomWalk({ tokens: tokens ?? [eth, btc], seed, tick }) : recordedMarket()
  }
  if (isWalk) {
    const instead = 'pass them to the market, as in market: randomWalk({ tokens, seed, tick })'
    throw new SimulatorError(
      'market',
      `tokens, seed and tick have no effect with a custom market; ${instead}`,
    )
  }
  return combinedMarket(...(isMany(market) ? market : [market]))
}

const isMany = (market: Market | readonly Market[]): market is readonly Market[] => Array.isArray(market)
