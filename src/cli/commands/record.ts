import type { Command } from 'commander'
import type { RecordFlags } from '../actions/record.js'
import { parseRotation } from '../input/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand, addStreamFlags } from './parts.js'

const examples = `
Examples:
  $ svc-streams record --simulate --duration 1m --out market.ndjson
      Record a simulator for one minute. Needs no service, no key and no token.
  $ svc-streams record 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 --out market.ndjson
      Record a token of the service that the environment variables configure, until Ctrl-C.
  $ svc-streams record WETH --tokens tokens.json --out market.ndjson
      The same for a symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.
  $ svc-streams record --simulate --out market.ndjson.gz
      Compress the recording. Programs such as gunzip and svc-streams replay read it.
  $ svc-streams record --simulate --gzip --rotate 1h --out market.ndjson
      Start a new file at each full hour of UTC: market.2026-11-22T10-00-00Z.ndjson.gz, … Replay them with:
      svc-streams replay market.*.ndjson.gz

Every event is written immediately, errors as well as values. With --out, no written line is lost when the process is
killed, and a compressed file is complete after each event. An existing file is never overwritten. Each file starts with
a header, so it can be replayed alone. Recordings of the same tokens can be concatenated with cat.

The exit code is 1 if the service has rejected every token, or the signature of every depth request, or if --duration
ends before a price has arrived.`

export const recordCommand = (io: Io): Command => {
  const command = addStreamFlags(
    createCommand(
      io,
      'record',
      'Record prices and depth, for svc-streams replay and for tests of strategies.',
      examples,
    )
      .option(
        '-o, --out <file>',
        'new file to write, compressed if it ends in .gz (default: standard output)',
      )
      .option('--gzip', 'compress the file, whatever its name')
      .option(
        '--rotate <duration>',
        'start a new file at each multiple of 30s, 15m, 1h, 1d, …; its name contains its start',
        parseRotation,
      ),
  )
  return command.action(async (given: readonly string[], flags: RecordFlags) => {
    const { recordStreams } = await import('../actions/record.js')
    await recordStreams(io, command, given, flags)
  })
}
