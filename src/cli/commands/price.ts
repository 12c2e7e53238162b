import { Argument, type Command } from 'commander'
import type { Address } from '../../domain/address.js'
import { defaultService } from '../../domain/topic.js'
import { token } from '../input/arguments.js'
import { addDeploymentFlags } from '../input/deployment-flags.js'
import { withDeployment } from '../input/deployment.js'
import { formatJson } from '../output/format.js'
import { createCommand } from './create-command.js'
import { printResponse } from './print-response.js'

const examples = `
Examples:
  $ svc-streams price 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Print the price in USD, and nothing else, from the service at SVC_PRICE_BASE_URL.
  $ svc-streams price --json svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Add the topic and the time of arrival, in ms since the Unix epoch.
  $ svc-streams price --simulate 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Try the command with a simulator.

Exit codes: 0 for a price, 1 for a failed request, 2 for invalid arguments.`

/** `svc-streams price`: one price over HTTP. */
export const priceCommand = (): Command => {
  const command = addDeploymentFlags(
    createCommand('price', 'Print one price, in USD.', examples)
      .addArgument(new Argument('<token>', 'contract address, 0x…, or topic, svc-0x…').argParser(token))
      .option('--json', 'print the price as a JSON object'),
  )
  return command.action((address: Address, { json = false }: { readonly json?: boolean }) =>
    withDeployment(command, 'prices', ({ client }) =>
      printResponse({
        task: client.price(`${defaultService}-${address}`),
        addressFlag: 'priceBaseUrl',
        render: (price) => (json ? formatJson(price) : String(price.price)),
      }),
    ),
  )
}
