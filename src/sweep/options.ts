import { checkAll } from '../option-kinds/check-options.js'
import type { OptionTable } from '../option-kinds/option.js'
import { replaySettings, replayTable, type ReplayOptions } from '../recording/replay/replay-options.js'
import { workersOption } from './workers-option.js'

/** Options of `sweep`. An invalid value and a misspelt option name throw a `ConfigurationError`. */
export interface SweepOptions extends Pick<ReplayOptions, 'environment' | 'from' | 'to'> {
  /** Number of worker threads. Default: the number of cores. */
  readonly workers?: number
}

const sweepTable = {
  workers: workersOption,
  environment: replayTable.environment,
  from: replayTable.from,
  to: replayTable.to,
} satisfies OptionTable<SweepOptions>

/** The options with their defaults. */
export interface SweepSettings {
  readonly workers: number
  readonly replay: ReplayOptions
}

/** Throws a `ConfigurationError` for an invalid value and a misspelt option name. */
export const sweepSettings = (options: SweepOptions): SweepSettings => {
  checkAll(options, sweepTable)
  const { workers = workersOption.default, environment, from, to } = options
  const replay = {
    ...(environment === undefined ? {} : { environment }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
  replaySettings(replay)
  return { workers, replay }
}
