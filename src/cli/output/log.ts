import { rxClock } from '../../time/rx-clock.js'
import { formatTime } from './format.js'

/** Writes a line with the time of day to standard error. */
export const log = (line: string): void => {
  process.stderr.write(`${formatTime(rxClock.wallClock())} ${line}\n`)
}
