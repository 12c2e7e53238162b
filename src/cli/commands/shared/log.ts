import { rxClock } from '../../../base/time/clock.js'
import { formatTime } from '../../../view/texts.js'
import type { Io } from '../../io.js'
import type { LogLine } from '../../render/connection-lines.js'
import { Flag } from '../../target/parse-flags.js'

/** The flag of a command whose lines on standard error are read by a program. */
export const logFormatFlag = new Flag<'text' | 'json'>(
  '--log-format <format>',
  'lines on standard error: text, or json with time, level and message',
)
  .choices(['text', 'json'])
  .default('text')

/** The commands with `--log-format json`. */
const jsonLogs = new WeakSet<Io>()

export const setLogFormat = (io: Io, format: 'text' | 'json'): void => {
  if (format === 'json') jsonLogs.add(io)
}

export const logText = (io: Io, { level, message }: LogLine): string => {
  const now = rxClock.wallClock()
  return jsonLogs.has(io)
    ? JSON.stringify({ time: new Date(now).toISOString(), level, message })
    : `${formatTime(now)} ${message}`
}

export const log = (io: Io, message: string, level: LogLine['level'] = 'info'): void =>
  void io.stderr.write(`${logText(io, { level, message })}\n`)

/** The last line of a command, without a time unless a program reads the log. */
export const logResult = (io: Io, message: string): void =>
  void io.stderr.write(`${jsonLogs.has(io) ? logText(io, { level: 'info', message }) : message}\n`)
