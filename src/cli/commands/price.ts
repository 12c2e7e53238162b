import { Argument, type Command } from 'commander'
import type { RequestFlags } from '../actions/request.js'
import { addDeploymentFlags } from '../input/source-flags.js'
import { createCommand, priceHelp, tokenHelp, tokensFlag } from './parts.js'

const examples = `
Examples:
  $ svc-streams price --simulate ETH
      Try the command with a simulator.
  $ svc-streams price 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Print the price in USD, and nothing else, from the service at SVC_PRICE_BASE_URL.
  $ svc-streams price WETH --tokens tokens.json
      The same for a symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.
  $ svc-streams price --json svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Add the topic, the symbol if it is known, and the time of arrival, in ms since the Unix epoch.

${priceHelp}

Exit codes: 0 for a price, 1 for a failed request, 2 for invalid arguments.`

/** `svc-streams price`: one price over HTTP. */
export const priceCommand = (): Command => {
  const command = addDeploymentFlags(
    createCommand('price', 'Print one price, in USD.', examples)
      .addArgument(new Argument('<token>', tokenHelp))
      .addOption(tokensFlag())
      .option('--json', 'print the price as a JSON object'),
  )
  return command.action(async (given: string, flags: RequestFlags) => {
    const { printPrice } = await import('../actions/request.js')
    await printPrice(command, given, flags)
  })
}
