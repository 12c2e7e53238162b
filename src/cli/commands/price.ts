import { Argument, Command } from 'commander'
import type { Address } from '../../domain/address.js'
import { defaultService } from '../../domain/topic.js'
import { token } from '../input/arguments.js'
import { addDeploymentFlags } from '../input/deployment-flags.js'
import { withDeployment } from '../input/deployment.js'
import { jsonText } from '../output/json-text.js'
import { askOnce } from './one-request.js'

const examples = `
Examples:
  $ svc-streams price 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      The price in USD, and nothing else, of the service that SVC_PRICE_BASE_URL names.
  $ svc-streams price --json svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      The same with its topic and the time at which it arrived, in ms since the Unix epoch.
  $ svc-streams price --simulate 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Of a simulator, to try it out.

Exit codes: 0 where there is a price, 1 where there is none, 2 where it was not asked as it must be.`

/** `svc-streams price`: one price over HTTP. */
export const priceCommand = (): Command => {
  const command = addDeploymentFlags(
    new Command('price')
      .description('Print one price, in USD.')
      .addArgument(new Argument('<token>', 'contract address, 0x…, or topic, svc-0x…').argParser(token))
      .option('--json', 'print the price as a JSON object'),
  )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError('Try: svc-streams price --help')
  return command.action((address: Address, { json = false }: { readonly json?: boolean }) =>
    withDeployment(command, 'prices', ({ client }) =>
      askOnce({
        task: client.price(`${defaultService}-${address}`),
        asked: 'priceBaseUrl',
        render: (price) => (json ? jsonText(price) : String(price.price)),
      }),
    ),
  )
}
