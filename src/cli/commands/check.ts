import type { Command } from 'commander'
import { timerOption } from '../../base/option-kinds/number-option.js'
import { numberFlag } from '../target/parse-flags.js'
import { addDeploymentFlags } from '../target/source-flags.js'
import type { Io } from '../io.js'
import { createCommand, lazyAction } from './shared/parts.js'

const doctorExamples = `
Examples:
  $ npx svc-streams doctor
      Check the service that the environment variables configure.
  $ npx svc-streams doctor --simulate
      Try the command with a simulator.
  $ npx svc-streams doctor --json | jq -r 'select(.result == "failed").advice'
      Print what to do, for programs.

The checks are: price over HTTP, the first event of live prices, depth, clock and signature. Each prints one line: its name,
ok, failed or skipped, and what was measured or what to do. No line contains a key. The command takes at most 4 times
--timeout.

Exit codes: 0 if no check failed, 1 otherwise.`

export const doctorCommand = (io: Io): Command =>
  addDeploymentFlags(
    createCommand(io, 'doctor', 'Check the service: prices, depth, clock, key.', doctorExamples)
      .addOption(numberFlag('--timeout <ms>', 'limit of each check, in ms', timerOption({ default: 15_000 })))
      .option('--json', 'print each result as a JSON object, one per line'),
  ).action(lazyAction(io, async () => (await import('../actions/doctor.js')).diagnose))
