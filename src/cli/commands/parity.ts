import { Argument, type Command } from 'commander'
import { integerOption } from '../../option-kinds/number-option.js'
import { workersOption } from '../../sweep/options.js'
import type { ParityFlags } from '../actions/parity.js'
import { numberFlag } from '../input/parse-flags.js'
import type { Io } from '../io.js'
import { backtestFilesHelp, createCommand } from './parts.js'

const examples = `
Examples:
  $ svc-streams parity market.ndjson strategy.js --parameter '{ "window": 5 }'
      Check that no output of the strategy depends on a later row.
  $ svc-streams parity market.*.ndjson.gz strategy.js --prefixes 200
      Use several files as one recording, and compare more prefixes.
  $ svc-streams parity market.ndjson strategy.js --json | jq '.changedBy.line'
      Print the line that changes an earlier output.

The strategy runs twice over the whole recording, and over prefixes of it: its first lines alone. An output that came at a
line must be the same in each prefix that has the line. Half of the prefixes end at lines with an output, the others are spread
evenly. If an output differs, further runs find the line that changes it. Rows that the strategy reads from the files of the
recording by itself are limited in the same way. Outputs at the end of a run, such as a sum over all rows, are not compared.

The last file is the module of the strategy: an ES module or CommonJS, with (client, parameter) => Observable as its default
export. A run takes at most as long as one replay; there are at most 2 + <prefixes> of them, and 3 + 2 log2(lines) more if
an output differs. The prefixes are written to the folder for temporary files, one per thread at a time.

Exit codes: 0 if all outputs are equal; 1 if an output depends on a later line, if two runs over the same lines differ, if the
strategy emits nothing before the end, or if it fails.`

const prefixesOption = integerOption({ min: 1, max: 1_000_000, default: 20 })

export const parityCommand = (io: Io): Command =>
  createCommand(io, 'parity', 'Check that a strategy does not use later rows of a recording.', examples)
    .addArgument(new Argument('<file...>', backtestFilesHelp))
    .option('--parameter <json>', 'parameter of the strategy, as JSON (default: none)')
    .addOption(numberFlag('--prefixes <n>', 'number of prefixes that are compared', prefixesOption))
    .addOption(
      numberFlag('--workers <n>', 'number of worker threads', workersOption).default(
        workersOption.default,
        'the number of cores',
      ),
    )
    .option('--json', 'print the result as one JSON object')
    .action(async (files: readonly string[], flags: ParityFlags, command: Command) => {
      const { checkParity } = await import('../actions/parity.js')
      await checkParity(io, command, files, flags)
    })
