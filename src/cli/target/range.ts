import type { ReplayOptions } from '../../backtest/replay/replay-options.js'
import { formatTime } from '../../view/texts.js'
import { onlyGiven, parsedFlag, parseTime, usageError, type Values } from './parse-flags.js'

export const rangeFlags = {
  from: parsedFlag('--from <time>', 'play only events from this time on, ISO 8601 or Unix ms', parseTime),
  to: parsedFlag('--to <time>', 'play only events before this time, ISO 8601 or Unix ms', parseTime),
}

/** The part of recordings that is played, in ms since the Unix epoch. */
export type PlayedRange = Pick<ReplayOptions, 'from' | 'to'>

/** The part of recordings that the flags select. A part without a length is a usage error. */
export const rangeOf = ({ from, to }: Values<typeof rangeFlags>): PlayedRange =>
  (from ?? -Infinity) < (to ?? Infinity)
    ? onlyGiven({ from, to })
    : usageError('--to: expected a time after --from')

/** `startAt`: that of the recording, in ms since the Unix epoch. `range`: the part that is played. */
export const noRowText = (startAt: number, { from, to }: PlayedRange): string => {
  const part = (from ?? to) === undefined ? 'after the header of the recording' : 'between --from and --to'
  return `no event ${part}; the recording starts at ${formatTime(startAt)}`
}
