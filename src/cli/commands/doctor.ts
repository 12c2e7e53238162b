import type { Command } from 'commander'
import { timerOption } from '../../option-kinds/number-option.js'
import type { DoctorFlags } from '../actions/doctor.js'
import { addDeploymentFlags } from '../input/source-flags.js'
import { numberFlag } from '../input/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand } from './parts.js'

const examples = `
Examples:
  $ svc-streams doctor
      Check the service that the environment variables configure.
  $ svc-streams doctor --simulate
      Try the command with a simulator.
  $ svc-streams doctor --json | jq -r 'select(.result == "failed").advice'
      Print what to do, for programs.

The checks are: options, DNS, TLS, price over HTTP, price WebSocket, depth over HTTP, clock and signature. Each prints one
line: its name, ok, failed or skipped, and what was measured or what to do. No line contains a key. The command takes at
most 9 times --timeout.

Exit codes: 0 if no check failed, 1 otherwise.`

const timeoutOption = timerOption({ default: 5000 })

export const doctorCommand = (io: Io): Command => {
  const command = addDeploymentFlags(
    createCommand(io, 'doctor', 'Check the options, the network and the service.', examples)
      .addOption(numberFlag('--timeout <ms>', 'limit of each wait, in ms', timeoutOption))
      .option('--json', 'print each result as a JSON object, one per line'),
  )
  return command.action(async (flags: DoctorFlags) => {
    const { diagnose } = await import('../actions/doctor.js')
    await diagnose(io, command, flags)
  })
}
