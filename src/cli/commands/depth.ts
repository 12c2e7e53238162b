import { Argument, Command } from 'commander'
import type { Address } from '../../domain/address.js'
import { token } from '../input/arguments.js'
import { addDeploymentFlags } from '../input/deployment-flags.js'
import { misuse, withDeployment } from '../input/deployment.js'
import { createTokenNames } from '../input/token-names.js'
import { coloursFor } from '../output/colours.js'
import { depthTable } from '../output/depth-table.js'
import { jsonText } from '../output/json-text.js'
import { askOnce } from './one-request.js'

const examples = `
Examples:
  $ svc-streams depth 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      What can be bought and sold at the midpoint price, of the service that SVC_BASE_URL names.
  $ svc-streams depth --json 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 | jq -r .buy.totalQuantity
      Exactly, in base-token units.
  $ svc-streams depth --simulate 0x82af49447d8a07e3bd95bd0d56f35241523fbab1
      Of a simulator, to try it out.

Exit codes: 0 where there is a depth, 1 where there is none, 2 where it was not asked as it must be.`

/** `svc-streams depth`: one signed request. */
export const depthCommand = (): Command => {
  const command = addDeploymentFlags(
    new Command('depth')
      .description('Print the order-book depth of one token.')
      .addArgument(new Argument('<token>', 'contract address, 0x…, or topic, svc-0x…').argParser(token))
      .option('--json', 'print the depth as a JSON object; quantities are in base-token units'),
  )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', examples)
    .showHelpAfterError('Try: svc-streams depth --help')
  return command.action((address: Address, { json = false }: { readonly json?: boolean }) =>
    withDeployment(command, 'depth', async ({ depths, known }) => {
      if (depths === undefined) return misuse(command, '--environment: there is no depth on testnet')
      const colours = coloursFor(process.stdout)
      await askOnce({
        task: depths.depth(address),
        asked: 'baseUrl',
        render: (depth) => (json ? jsonText(depth) : depthTable(depth, createTokenNames(known), colours)),
      })
    }),
  )
}
