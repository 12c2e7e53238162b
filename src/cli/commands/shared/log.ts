import type { PriceClient } from '../../../client/client.js'
import { listen } from '../../../opentelemetry/messages.js'
import { rxClock } from '../../../base/time/clock.js'
import { formatTime } from '../../../view/texts.js'
import type { Io } from '../../io.js'
import { connectionLines$, depthLines, type LogLine, type Meanwhile } from '../../render/connection-lines.js'
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

/** Logs failures of the connection and of depth requests, and their ends. `depth`: their effect. Returns the function that stops it. */
export const logConnection = (
  io: Io,
  { status$ }: PriceClient,
  { depth, ...meanwhile }: Meanwhile & { readonly depth: string },
  print = ({ message, level }: LogLine): void => log(io, message, level),
): (() => void) => {
  const printing = connectionLines$(status$, meanwhile).subscribe(print)
  printing.add(listen({ 'svc-streams:request': depthLines(print, depth) }))
  return () => printing.unsubscribe()
}

/** The last line of a command, without a time unless a program reads the log. */
export const logResult = (io: Io, message: string): void =>
  void io.stderr.write(`${jsonLogs.has(io) ? logText(io, { level: 'info', message }) : message}\n`)
