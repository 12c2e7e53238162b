import { Argument, type Command } from 'commander'
import type { ReplayFlags } from '../actions/replay.js'
import { numberOption } from '../../option-kinds/number-option.js'
import { parseSpeed, parseTime } from '../input/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand, priceHelp, tokensFlag } from './parts.js'

const examples = `
Examples:
  $ svc-streams replay market.ndjson
      Replay a recording in real time.
  $ svc-streams replay market.ndjson --speed 10
      Replay it ten times as fast.
  $ svc-streams replay market.ndjson --speed max | grep Disconnected
      Print all events immediately, one per line.
  $ svc-streams replay market.ndjson --speed max --json | jq -r 'select(._tag == "Price").event.right.price // empty'
      Print the recorded JSON objects, one per line, for programs.
  $ svc-streams replay market.*.ndjson.gz --from 2026-11-22T10:30:00Z --to 2026-11-22T11:30:00Z
      Replay a part of several files as one recording. Files may be compressed by gzip.
  $ ssh recorder cat market.ndjson | svc-streams replay -
      Read from a pipe.

Give the files in the order of their times; otherwise a warning is printed at the end. --from is inclusive, --to is
exclusive. Both compare the times at which the events were recorded. A part starts without the values from before it.

${priceHelp}

The command stops at the end of the recording, with exit code 0. If the recording is truncated or damaged, it shows
all events before the damage, reports the file, the line and the error, and fails with exit code 1.`

const replaySpeed = numberOption({ above: 0, default: 1 })

export const replayCommand = (io: Io): Command =>
  createCommand(io, 'replay', 'Show a recording made by svc-streams record.', examples)
    .addArgument(new Argument('<file...>', 'recordings, plain or gzip; - reads standard input'))
    .option(
      '--speed <factor>',
      'playback speed as a factor, or max to show all events immediately',
      parseSpeed(replaySpeed),
      replaySpeed.default,
    )
    .option('--from <time>', 'play only events from this time on, ISO 8601 or Unix ms', parseTime)
    .option('--to <time>', 'play only events before this time, ISO 8601 or Unix ms', parseTime)
    .option('--json', 'print each event as a JSON object, one per line')
    .addOption(tokensFlag())
    .action(async (files: readonly string[], flags: ReplayFlags, command: Command) => {
      const { showRecordings } = await import('../actions/replay.js')
      await showRecordings(io, command, files, flags)
    })
