import { availableParallelism } from 'node:os'
import { integerOption } from '../option-kinds/number-option.js'
import type { OptionTable } from '../option-kinds/option.js'
import { parseOptions } from '../option-kinds/parse-options.js'
import { playedTable, replaySettings, type ReplayOptions } from '../recording/replay/replay-options.js'

/** Options of `sweep`. An invalid value and a misspelt option name throw a `ConfigurationError`. */
export interface SweepOptions extends Pick<ReplayOptions, 'environment' | 'from' | 'to'> {
  /** Number of worker threads. Default: the number of cores. */
  readonly workers?: number
}

/** Shared by the function and the command. */
export const workersOption = integerOption({ min: 1, max: 1024, default: availableParallelism() })

const sweepTable = { workers: workersOption, ...playedTable } satisfies OptionTable<SweepOptions>

/** The options with their defaults. */
export interface SweepSettings {
  readonly workers: number
  readonly replay: ReplayOptions
}

/** Throws a `ConfigurationError` for an invalid value and a misspelt option name. */
export const sweepSettings = (options: SweepOptions): SweepSettings => {
  const { workers, environment, from, to } = parseOptions(sweepTable, options, { allowsUndefined: true })
  const replay = {
    environment,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  replaySettings(replay)
  return { workers, replay }
}
