import { Argument, type Command } from 'commander'
import type { RequestFlags } from '../actions/request.js'
import { addDeploymentFlags } from '../input/source-flags.js'
import { createCommand, priceHelp, tokenHelp, tokensFlag } from './parts.js'

const examples = `
Examples:
  $ svc-streams depth --simulate ETH
      Try the command with a simulator.
  $ svc-streams depth 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Print the quantities to buy and to sell at the midpoint price, from the service at SVC_BASE_URL.
  $ svc-streams depth WETH --tokens tokens.json
      The same for a symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.
  $ svc-streams depth --json 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 | jq -r .buy.totalQuantity
      Print the exact quantity, in base-token units. The object also has the topic, and the symbol if it is known.

${priceHelp}

Exit codes: 0 for a depth, 1 for a failed request, 2 for invalid arguments.`

/** `svc-streams depth`: one signed request. */
export const depthCommand = (): Command => {
  const command = addDeploymentFlags(
    createCommand('depth', 'Print the order-book depth of one token.', examples)
      .addArgument(new Argument('<token>', tokenHelp))
      .addOption(tokensFlag())
      .option('--json', 'print the depth as a JSON object; quantities are in base-token units'),
  )
  return command.action(async (given: string, flags: RequestFlags) => {
    const { printDepth } = await import('../actions/request.js')
    await printDepth(command, given, flags)
  })
}
