import type { Environment } from '../../base/domain/environment.js'
import { maxTime } from '../recording/codec/times.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import {
  checkedOption,
  environmentOption,
  withDefault,
  type OptionTable,
  type Table,
} from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import { allTimes, type TimeRange } from '../recording/codec/timeline.js'

export interface ReplayOptions {
  /** Speed relative to the recording, above 0. `Infinity` replays as fast as possible, in virtual time. Default: 1. */
  readonly speed?: number
  /** The environment of the client, which a recording does not contain. Default: `mainnet`. */
  readonly environment?: Environment
  /** Plays only rows with an `at` of at least this time, in ms since the Unix epoch. Default: all rows. */
  readonly from?: number
  /** Plays only rows with an `at` below this time, in ms since the Unix epoch. Default: all rows. */
  readonly to?: number
}

export const timeOption = checkedOption<number>('number', {
  expected: 'a time in ms since the Unix epoch',
  holds: (value) => typeof value === 'number' && Math.abs(value) <= maxTime,
})

/** The options that `sweep` also has. */
export const playedTable = {
  environment: withDefault(environmentOption, 'mainnet'),
  from: timeOption,
  to: timeOption,
} satisfies OptionTable<Omit<ReplayOptions, 'speed'>>

const replayTable = {
  speed: withDefault(
    checkedOption<number>('number', {
      expected: 'a number above 0, or Infinity',
      holds: (value) => typeof value === 'number' && value > 0,
    }),
    1,
  ),
  ...playedTable,
} satisfies OptionTable<ReplayOptions>

/** The options with their defaults, and the part. Throws a `ConfigurationError` for an invalid value and a misspelt option name. */
export const playedSettings = <T extends Table>(table: T, options: Pick<ReplayOptions, 'from' | 'to'>) => ({
  ...parseOptions(table, options, { allowsUndefined: true }),
  range: timeRange(options),
})

export const replaySettings = (options: ReplayOptions) => playedSettings(replayTable, options)

export type ReplaySettings = ReturnType<typeof replaySettings>

/** Throws a `ConfigurationError` for a part without a length. */
const timeRange = ({ from, to }: Pick<ReplayOptions, 'from' | 'to'>): TimeRange => {
  if (from === undefined && to === undefined) return allTimes
  const range = { from: from ?? allTimes.from, to: to ?? allTimes.to }
  if (range.from >= range.to) throw new ConfigurationError('to', 'expected a time after from')
  return range
}
