import { Argument, type Command } from 'commander'
import type { InspectFlags } from '../actions/inspect.js'
import { parseDuration } from '../input/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand } from './parts.js'

const examples = `
Examples:
  $ svc-streams inspect market.*.ndjson.gz
      Print one line per topic: what several files contain, as one recording.
  $ svc-streams inspect market.*.ndjson.gz --max-gap 10s
      Fail if prices of a topic are missing for more than 10 seconds, or if a file is damaged.
  $ svc-streams inspect market.ndjson --json | jq -r 'select(.topic != null) | [.topic, .gaps.stale.count] | @tsv'
      Print the number of times at which each topic was stale.

The line of a topic contains:
  rows      prices and errors of the topic
  from, to  the times of its first and its last price, in UTC
  gaps      the times in which prices may be missing, by cause: their number, and their duration in all. disconnected: the
            recorder had no connection; stale: it had no current price; unrecorded: nothing was recorded
  conn      the connections over which prices came
  prices/s  prices per second of the time outside of gaps: median and maximum
  silence   the longest time without a price outside of gaps

Files may be compressed, and in any order. Each is read to its end, or to its first damaged line. With --json, times are in ms,
and a damaged file is an object with source, line and message.

Exit codes: 0, or 1 if a file is damaged or cannot be read, or a gap is longer than --max-gap.`

export const inspectCommand = (io: Io): Command =>
  createCommand(io, 'inspect', 'Summarise recordings, with their gaps and damages.', examples)
    .addArgument(new Argument('<file...>', 'recordings, plain or gzip'))
    .option(
      '--max-gap <duration>',
      'fail if a gap is longer: a number of seconds, or 30s, 15m, 1h, …',
      parseDuration,
    )
    .option('--json', 'print each topic and each damaged file as a JSON object, one per line')
    .action(async (files: readonly string[], flags: InspectFlags) => {
      const { inspectRecordings } = await import('../actions/inspect.js')
      await inspectRecordings(io, files, flags)
    })
