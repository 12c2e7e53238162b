import { Argument, type Command, type Option } from 'commander'
import { integerOption, timerOption } from '../../base/option-kinds/number-option.js'
import { numberFlag, parseNumber } from '../input/parse-flags.js'
import { addDeploymentFlags } from '../input/source-flags.js'
import type { Io } from '../io.js'
import { docsUrl } from '../manifest.js'
import { createCommand, lazyAction } from './parts.js'

const doctorExamples = `
Examples:
  $ npx svc-streams doctor
      Check the service that the environment variables configure.
  $ npx svc-streams doctor --simulate
      Try the command with a simulator.
  $ npx svc-streams doctor --json | jq -r 'select(.result == "failed").advice'
      Print what to do, for programs.

The checks are: options, DNS, TLS, price over HTTP, price WebSocket, depth over HTTP, clock and signature. Each prints one
line: its name, ok, failed or skipped, and what was measured or what to do. No line contains a key. The command takes at
most 9 times --timeout.

Exit codes: 0 if no check failed, 1 otherwise.`

export const doctorCommand = (io: Io): Command =>
  addDeploymentFlags(
    createCommand(io, 'doctor', 'Check the options, the network and the service.', doctorExamples)
      .addOption(timeoutFlag())
      .option('--json', 'print each result as a JSON object, one per line'),
  ).action(lazyAction(io, async () => (await import('../actions/doctor.js')).diagnose))

const conformExamples = `
Examples:
  $ npx svc-streams conform http://127.0.0.1:8080
      Check a gateway against the rules of the protocol.
  $ npx svc-streams conform https://prices.example:3000 --price-ws-url wss://prices.example:4000
      Check a service, whose WebSocket has another port.
  $ npx svc-streams conform http://127.0.0.1:8080 --json | jq -r 'select(.result == "failed") | [.rule, .why] | @tsv'
      Print the broken rules, for programs.

Each line has the id of a rule, passed, failed or not tested, and the rule, or why it failed or was not tested. A rule is not
tested if that needs a price and none comes, if it concerns gateways only, or if its test would harm the service. The command
opens up to four connections, subscribes to one topic, and sends messages that the server rejects. It takes at most 30 times
--timeout.

The rules: ${docsUrl('reference/protocol.md')}

Exit codes: 0 if no rule is broken, 1 otherwise.`

export const conformCommand = (io: Io): Command =>
  createCommand(io, 'conform', 'Check a service or a gateway against the protocol.', conformExamples)
    .addArgument(new Argument('<url>', 'HTTP address of a gateway, or of a price reporter'))
    .option('--price-ws-url <url>', 'address of the WebSocket (default: <url> with ws: or wss:)')
    .option('--topic <topic>', 'a topic that the server supports (default: that of ETH)')
    .option(
      '--topic-limit <number>',
      'topics per connection that the gateway allows; the check subscribes to one more than this, to topics that do not exist',
      parseNumber(integerOption({ min: 1, max: 100_000, default: 1000 })),
    )
    .addOption(timeoutFlag())
    .option('--json', 'print each rule as a JSON object, one per line')
    .action(lazyAction(io, async () => (await import('../actions/conform.js')).conform))

const timeoutFlag = (): Option =>
  numberFlag('--timeout <ms>', 'limit of each wait, in ms', timerOption({ default: 5000 }))
