import { availableParallelism } from 'node:os'
import { maxTime } from '../recording/codec/times.js'
import { functionCheck } from '../option-kinds.js'
import { integer, integerOption } from '../../base/option-kinds/number-option.js'
import { checkedOption, required, withDefault, type OptionTable } from '../../base/option-kinds/option.js'
import { playedSettings, playedTable, type ReplayOptions } from '../replay/replay-options.js'

/** Options of `sweep`. An invalid value and a misspelt option name throw a `ConfigurationError`. */
export interface SweepOptions extends Pick<ReplayOptions, 'environment' | 'from' | 'to'> {
  /** Number of worker threads. Default: the number of cores. */
  readonly workers?: number
  /**
   * Length of the data before `from`, and before each range of a walk-forward, over which the strategy runs first, in ms.
   * Without `from`, of the first data. Its values in this time do not count. Default: that of the options of its account, or else 0.
   */
  readonly warmUp?: number
}

/** Shared by the function and the command. */
export const workersOption = integerOption({ min: 1, max: 1024, default: availableParallelism() })

const sweepTable = {
  workers: workersOption,
  warmUp: checkedOption<number>('integer', integer(0, maxTime, 'a whole number')),
  ...playedTable,
} satisfies OptionTable<SweepOptions>

export const sweepSettings = (options: SweepOptions) => playedSettings(sweepTable, options)

/** The range in which a parameter is chosen, or tested. */
export type ScoredRange = 'train' | 'test'

/** Options of `walkForward$`. An invalid value and a misspelt option name throw a `ConfigurationError`. */
export interface WalkForwardOptions<A = unknown> extends SweepOptions {
  /** Length of each training range, in ms. */
  readonly train: number
  /** Length of each test range, and distance between two windows, in ms. */
  readonly test: number
  /**
   * The score of the values that the strategy has emitted. The parameter with the highest score is chosen. Must return
   * a finite number; otherwise, and if it throws, the parameter has no score. `range`: the range of the values. Default: the
   * last value, which must be a number.
   */
  readonly score?: (values: readonly A[], range: ScoredRange) => number
}

const lastValue = (values: readonly unknown[]): number => values.at(-1) as number

const lengthOption = required(checkedOption<number>('integer', integer(1, maxTime, 'a whole number of ms')))

const walkForwardTable = {
  ...sweepTable,
  train: lengthOption,
  test: lengthOption,
  score: withDefault(
    checkedOption<(values: readonly unknown[], range: ScoredRange) => number>('function', functionCheck()),
    lastValue,
  ),
} satisfies OptionTable<WalkForwardOptions>

export const walkForwardSettings = <A>(options: WalkForwardOptions<A>) =>
  playedSettings(walkForwardTable, options)

export type WalkForwardSettings = ReturnType<typeof walkForwardSettings>
