import type { Command } from 'commander'
import { definedRange } from '../../backtest/recording/replay/replay-options.js'
import { formatTime } from '../../view/texts.js'
import { usageError } from '../run.js'

/** The flags of a part of recordings, in ms since the Unix epoch. */
export interface RangeFlags {
  readonly from?: number
  readonly to?: number
}

/** The part of recordings that the flags select. A part without a length is a usage error. */
export const rangeOf = (command: Command, { from, to }: RangeFlags): RangeFlags =>
  (from ?? -Infinity) < (to ?? Infinity)
    ? definedRange(from, to)
    : usageError(command, '--to: expected a time after --from')

/** `startAt`: that of the recording, in ms since the Unix epoch. `range`: the part that is played. */
export const noRowText = (startAt: number, { from, to }: RangeFlags): string => {
  const part = (from ?? to) === undefined ? 'after the header of the recording' : 'between --from and --to'
  return `no event ${part}; the recording starts at ${formatTime(startAt)}`
}
