import { Argument, type Command } from 'commander'
import { gatewayTable } from '../../gateway/options.js'
import type { DashboardFlags } from '../actions/dashboard.js'
import { numberFlag } from '../input/parse-flags.js'
import { addSourceFlags } from '../input/source-flags.js'
import type { Io } from '../io.js'
import { createCommand, tokensHelp, tokensFlag, intervalFlag } from './parts.js'

const examples = `
Examples:
  $ svc-streams dashboard --simulate
      Show ETH and BTC of a simulator in a browser. Needs no service, no key and no token.
  $ svc-streams dashboard 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Show a token of the service that the environment variables configure.
  $ svc-streams dashboard WETH WBTC --tokens tokens.json --port 8080
      Show tokens by symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 }, … } in the file.
  $ svc-streams dashboard --gateway http://127.0.0.1:8080 WETH --tokens tokens.json
      Show a token of a gateway. Its history, if it has one, is the past of the chart.
  $ svc-streams dashboard --recording market.ndjson --speed 10
      Show a recording, ten times as fast. It starts when the page is opened.

The command prints the address of the page, which this machine alone can open. The page has a card per token: price,
change, chart, age and depth. A price that is not current is struck through or underlined, and the chart has a gap.
The page needs no reload after the service, or this command, has been started again. It reloads by itself if this command
shows other tokens then.

Ctrl-C stops the command with exit code 0. The exit code is 1 if the port is in use or a recording is damaged, and 2 for
invalid arguments.`

export const dashboardCommand = (io: Io): Command => {
  const command = addSourceFlags(
    createCommand(io, 'dashboard', 'Show live prices and depth in a browser.', examples)
      .addArgument(
        new Argument(
          '[token...]',
          `${tokensHelp} (default: those of the simulator or the recording, of SVC_TOKENS, or of --tokens)`,
        ),
      )
      .addOption(tokensFlag())
      .addOption(intervalFlag())
      .addOption(
        numberFlag(
          '--port <port>',
          'port to listen on, for HTTP and WebSocket; 0 picks a free port',
          gatewayTable.port,
        ),
      ),
  )
  return command.action(async (given: readonly string[], flags: DashboardFlags) => {
    const { serveDashboard } = await import('../actions/dashboard.js')
    await serveDashboard(io, command, given, flags)
  })
}
