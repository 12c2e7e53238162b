import type { Address } from '../../domain/address.js'
import { seedOption } from '../../simulator/market/random-walk.js'
import { recordedMarket, SimulatorError, type SimulatorOptions } from '../../simulator/index.js'

/** The flags of `simulate` that select the market. */
export interface MarketFlags {
  readonly market?: 'recorded' | 'walk'
  readonly speed?: number
  readonly token?: readonly Address[]
  readonly tick?: number
  readonly seed?: number
}

/** The simulator options of the flags. Throws a `SimulatorError` for flags that exclude each other. */
export const marketOptions = (
  flags: MarketFlags,
): Pick<SimulatorOptions, 'market' | 'tokens' | 'tick' | 'seed'> => {
  const { market, speed, token: tokens, tick, seed } = flags
  const walkFlag = (['token', 'tick', 'seed'] as const).find((flag) => flags[flag] !== undefined)
  const isWalk = (market ?? (walkFlag === undefined ? 'recorded' : 'walk')) === 'walk'
  if (isWalk && speed !== undefined) {
    throw new SimulatorError('speed', 'applies only to the recorded market; remove it, or set --tick instead')
  }
  if (!isWalk && walkFlag !== undefined) {
    throw new SimulatorError(walkFlag, 'applies only to the random walk; remove it, or set --market walk')
  }
  if (!isWalk) return { market: recordedMarket(speed === undefined ? {} : { speed }) }
  return {
    // With a seed, the simulator chooses the random walk.
    seed: seed ?? seedOption.default,
    ...(tick === undefined ? {} : { tick }),
    ...(tokens === undefined ? {} : { tokens }),
  }
}
