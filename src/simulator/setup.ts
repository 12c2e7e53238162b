import { randomBytes } from 'node:crypto'
import type { Signal } from '../domain/signal.js'
import { checkFields } from './check.js'
import type { Faults } from './faults/faults.js'
import { combinedMarket, type Market } from './market/market.js'
import { btc, eth } from './market/known-tokens.js'
import { randomWalk, seedOption, tickOption } from './market/random-walk.js'
import { recordedMarket } from './market/recorded-market.js'
import { simulatorTable } from './option-table.js'
import type { SimulatorOptions } from './options.js'
import { SimulatorError } from './simulator-error.js'

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
  readonly cors: boolean
  readonly faults: Faults
  readonly signal: Signal | undefined
}

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
    cors: options.cors === true,
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
