import { Argument, type Command } from 'commander'
import type { RequestFlags } from '../actions/request.js'
import { addDeploymentFlags } from '../input/source-flags.js'
import type { Io } from '../io.js'
import { createCommand, priceHelp, tokenHelp, tokensFlag } from './parts.js'

const priceExamples = `
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

export const priceCommand = (io: Io): Command => {
  const command = addDeploymentFlags(
    createCommand(io, 'price', 'Print one price, in USD.', priceExamples)
      .addArgument(new Argument('<token>', tokenHelp))
      .addOption(tokensFlag())
      .option('--json', 'print the price as a JSON object'),
  )
  return command.action(async (given: string, flags: RequestFlags) => {
    const { printPrice } = await import('../actions/request.js')
    await printPrice(io, command, given, flags)
  })
}

const depthExamples = `
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

export const depthCommand = (io: Io): Command => {
  const command = addDeploymentFlags(
    createCommand(io, 'depth', 'Print the order-book depth of one token.', depthExamples)
      .addArgument(new Argument('<token>', tokenHelp))
      .addOption(tokensFlag())
      .option('--json', 'print the depth as a JSON object; quantities are in base-token units'),
  )
  return command.action(async (given: string, flags: RequestFlags) => {
    const { printDepth } = await import('../actions/request.js')
    await printDepth(io, command, given, flags)
  })
}
