import { Argument, type Command } from 'commander'
import { numberOption } from '../../base/option-kinds/number-option.js'
import { parseDuration, parseSpeed } from '../target/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand, fromFlag, priceHelp, toFlag, tokensFlag, lazyAction } from './shared/parts.js'

const replayExamples = `
Examples:
  $ npx svc-streams replay market.ndjson
      Replay a recording in real time.
  $ npx svc-streams replay market.ndjson --speed 10
      Replay it ten times as fast.
  $ npx svc-streams replay market.ndjson --speed max | grep error
      Print the errors of all streams immediately, one per line.
  $ npx svc-streams replay market.ndjson --speed max --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print the recorded JSON objects, one per line, for programs.
  $ npx svc-streams replay market.*.ndjson.gz --from 2026-11-22T10:30:00Z --to 2026-11-22T11:30:00Z
      Replay a part of several files as one recording. Files may be compressed by gzip.
  $ ssh recorder cat market.ndjson | npx svc-streams replay -
      Read from a pipe.

The files may be in any order. --from is inclusive, --to is
exclusive. Both compare the times at which the events were recorded. A part starts without the values from before it.

${priceHelp}

The command stops at the end of the recording, with exit code 0. If the recording is truncated or damaged, it shows
all events before the damage, reports the file, the line and the error, and fails with exit code 1.`

const replaySpeed = numberOption({ above: 0, default: 1 })

export const replayCommand = (io: Io): Command =>
  createCommand(io, 'replay', 'Show a recording made by svc-streams record.', replayExamples)
    .addArgument(new Argument('<file...>', 'recordings, plain or gzip; - reads standard input'))
    .option(
      '--speed <factor>',
      'playback speed as a factor, or max to show all events immediately',
      parseSpeed(replaySpeed),
      replaySpeed.default,
    )
    .addOption(fromFlag())
    .addOption(toFlag())
    .option('--json', 'print each event as a JSON object, one per line')
    .addOption(tokensFlag())
    .action(lazyAction(io, async () => (await import('../actions/replay.js')).showRecordings))

const exportExamples = `
Examples:
  $ npx svc-streams export market.ndjson --out market.parquet
      Write market.prices.parquet, market.depths.parquet and market.events.parquet.
  $ npx svc-streams export market.*.ndjson.gz --out night.parquet
      Export several files as one recording.
  $ duckdb -c "SELECT topic, count(*), max(price) FROM 'market.prices.parquet' GROUP BY ALL"
      Query a table. Python reads it with pandas.read_parquet.

The tables:
  prices  at, topic, price (USD), received_at, epoch
  depths  at, mint, price (USD), timestamp, buy_quantity, buy_usd, sell_quantity, sell_usd, received_at
  events  at, kind (of the row), stream (topic or mint), tag (of the error or the status), message, row (as JSON)

Times are UTC, in ms. Quantities are in base-token units and exact: DECIMAL(38, 0), or text in all rows if one has more
digits. A table without a row is written too. Existing files are not overwritten. Memory does not grow with the recording.

If the recording is truncated or damaged, the rows before the damage are exported, and the command fails.

Exit codes: 0 if all rows were exported, 1 otherwise.`

export const exportCommand = (io: Io): Command =>
  createCommand(io, 'export', 'Write a recording as Parquet.', exportExamples)
    .addArgument(new Argument('<file...>', 'recordings, plain or gzip'))
    .requiredOption('--out <file>', 'name of the tables, such as market.parquet')
    .action(lazyAction(io, async () => (await import('../actions/export.js')).exportRecordings))

const inspectExamples = `
Examples:
  $ npx svc-streams inspect market.*.ndjson.gz
      Print one line per topic: what several files contain, as one recording.
  $ npx svc-streams inspect market.*.ndjson.gz --max-gap 10s
      Fail if prices of a topic are missing for more than 10 seconds, or if a file is damaged.
  $ npx svc-streams inspect market.ndjson --json | jq -r 'select(.topic != null) | [.topic, .gaps.stale.count] | @tsv'
      Print the number of times at which each topic was stale.

The line of a topic has its symbol, if it is known, and contains:
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
  createCommand(io, 'inspect', 'Summarise recordings, with their gaps and damage.', inspectExamples)
    .addArgument(new Argument('<file...>', 'recordings, plain or gzip'))
    .addOption(tokensFlag())
    .option(
      '--max-gap <duration>',
      'fail if a gap is longer: a number of seconds, or 30s, 15m, 1h, …',
      parseDuration,
    )
    .option('--json', 'print each topic and each damaged file as a JSON object, one per line')
    .action(lazyAction(io, async () => (await import('../actions/inspect.js')).inspectRecordings))
