import { Argument, type Command } from 'commander'
import { addDeploymentFlags } from '../target/source-flags.js'
import type { Io } from '../io.js'
import { createCommand, lazyAction, priceHelp, tokensFlag } from './shared/parts.js'

const priceExamples = `
Examples:
  $ npx svc-streams price --simulate ETH
      Try the command with a simulator.
  $ npx svc-streams price 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Print the price in USD, and nothing else, from the service at SVC_PRICE_BASE_URL.
  $ npx svc-streams price WETH --tokens tokens.json
      The same for a symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.
  $ npx svc-streams price --json svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Add the topic, the symbol if it is known, and the time of arrival, in ms since the Unix epoch.

${priceHelp}

Exit codes: 0 for a price, 1 for a failed request, 2 for invalid arguments.`

export const priceCommand = (io: Io): Command =>
  requestCommand(io, 'price', 'Print one price, in USD.', priceExamples, 'print the price as a JSON object')

const depthExamples = `
Examples:
  $ npx svc-streams depth --simulate ETH
      Try the command with a simulator.
  $ npx svc-streams depth 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Print the quantities to buy and to sell at the midpoint price, from the service at SVC_BASE_URL.
  $ npx svc-streams depth WETH --tokens tokens.json
      The same for a symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.
  $ npx svc-streams depth --json 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 | jq -r .buy.totalQuantity
      Print the exact quantity, in base-token units. The object also has the topic, and the symbol if it is known.

${priceHelp}

Exit codes: 0 for a depth, 1 for a failed request, 2 for invalid arguments.`

export const depthCommand = (io: Io): Command =>
  requestCommand(
    io,
    'depth',
    'Print the order-book depth of one token.',
    depthExamples,
    'print the depth as a JSON object; quantities are in base-token units',
  )

const requestCommand = (
  io: Io,
  name: 'price' | 'depth',
  description: string,
  examples: string,
  jsonHelp: string,
): Command =>
  addDeploymentFlags(
    createCommand(io, name, description, examples)
      .addArgument(new Argument('<token>', 'symbol, contract address, 0x…, or topic, svc-0x…'))
      .addOption(tokensFlag())
      .option('--json', jsonHelp),
  ).action(
    lazyAction(io, async () => {
      const { printDepth, printPrice } = await import('../actions/request.js')
      return name === 'price' ? printPrice : printDepth
    }),
  )
