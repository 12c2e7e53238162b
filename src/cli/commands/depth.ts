import { Argument, type Command } from 'commander'
import type { Address } from '../../domain/address.js'
import { token } from '../input/arguments.js'
import { addDeploymentFlags } from '../input/deployment-flags.js'
import { usageError, withDeployment } from '../input/deployment.js'
import { createTokenNames } from '../input/token-names.js'
import { coloursFor } from '../output/colours.js'
import { depthTable } from '../output/depth-table.js'
import { formatJson } from '../output/format.js'
import { createCommand } from './create-command.js'
import { printResponse } from './print-response.js'

const examples = `
Examples:
  $ svc-streams depth 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Print the quantities to buy and to sell at the midpoint price, from the service at SVC_BASE_URL.
  $ svc-streams depth --json 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 | jq -r .buy.totalQuantity
      Print the exact quantity, in base-token units.
  $ svc-streams depth --simulate 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Try the command with a simulator.

Exit codes: 0 for a depth, 1 for a failed request, 2 for invalid arguments.`

/** `svc-streams depth`: one signed request. */
export const depthCommand = (): Command => {
  const command = addDeploymentFlags(
    createCommand('depth', 'Print the order-book depth of one token.', examples)
      .addArgument(new Argument('<token>', 'contract address, 0x…, or topic, svc-0x…').argParser(token))
      .option('--json', 'print the depth as a JSON object; quantities are in base-token units'),
  )
  return command.action((address: Address, { json = false }: { readonly json?: boolean }) =>
    withDeployment(command, 'depth', async ({ depthClient, knownTokens }) => {
      if (depthClient === undefined) return usageError(command, '--environment: testnet has no depth')
      const colours = coloursFor(process.stdout)
      await printResponse({
        task: depthClient.depth(address),
        addressFlag: 'baseUrl',
        render: (depth) =>
          json ? formatJson(depth) : depthTable(depth, createTokenNames(knownTokens), colours),
      })
    }),
  )
}
