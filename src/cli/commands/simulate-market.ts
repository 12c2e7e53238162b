import type { Address } from '../../domain/address.js'
import { recordedMarket, SimulatorError, type SimulatorOptions } from '../../simulator/index.js'

/** The flags that say where prices come from. */
export interface MarketFlags {
  readonly market?: 'recorded' | 'walk'
  readonly speed?: number
  readonly token?: readonly Address[]
  readonly tick?: number
  readonly seed?: number
}

/** The flags as the simulator's options. Throws a `SimulatorError` where they contradict each other. */
export const chooseMarket = (
  flags: MarketFlags,
): Pick<SimulatorOptions, 'market' | 'tokens' | 'tick' | 'seed'> => {
  const { market, speed, token: tokens, tick, seed } = flags
  const walkFlag = (['token', 'tick', 'seed'] as const).find((flag) => flags[flag] !== undefined)
  const isWalk = (market ?? (walkFlag === undefined ? 'recorded' : 'walk')) === 'walk'
  if (isWalk && speed !== undefined) {
    throw new SimulatorError('speed', 'is for the recorded market; leave it out, or give --tick instead')
  }
  if (!isWalk && walkFlag !== undefined) {
    throw new SimulatorError(walkFlag, 'is for a walk; leave it out, or give --market walk')
  }
  if (!isWalk) return { market: recordedMarket(speed === undefined ? {} : { speed }) }
  return {
    seed: seed ?? 1,
    ...(tick === undefined ? {} : { tick }),
    ...(tokens === undefined ? {} : { tokens }),
  }
}
