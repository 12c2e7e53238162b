import type { Depth } from '../../base/domain/depth.js'
import { formatPrice, formatTime, formatTokens, formatUsd } from '../../view/texts.js'
import { withToken } from '../render/rows.js'
import { columnsOf, drawTable } from '../render/table.js'
import { coloursFor, numberFormat, outputJson, type Colours, type NumberFormat } from '../render/terminal.js'
import { withTokens } from '../target/open-source.js'
import { toggle, usageError } from '../target/parse-flags.js'
import { serviceFlags } from '../target/source-flags.js'
import type { TokenNames } from '../target/token-names.js'
import { defineCommand, priceHelp, tokensFlag } from './shared/parts.js'
import { printResponse, tokenArgument } from './shared/print-response.js'

const examples = `
Examples:
  $ npx svc-streams depth --simulate ETH
      Try the command with a simulator.
  $ npx svc-streams depth --json 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 | jq -r .buy.totalQuantity
      Print the exact quantity, in base-token units. The object also has the topic, and the symbol if it is known.

${priceHelp}

Exit codes: 0 for a depth, 1 for a failed request, 2 for invalid arguments.`

export const createCommand = defineCommand({
  examples,
  arguments: tokenArgument,
  flags: {
    tokens: tokensFlag,
    json: toggle('--json', 'print the depth as a JSON object; quantities are in base-token units'),
    ...serviceFlags,
  },
  action: (io, command, { json = false }, given) =>
    withTokens(io, command, 'depth', [given], async ({ source, tokens: [{ address }], names }) => {
      const { depthClient, serverFlag = 'baseUrl' } = source
      if (depthClient === undefined) return usageError('--environment: testnet has no depth')
      await printResponse(io, depthClient.depth(address), serverFlag, (response) =>
        json
          ? outputJson(withToken(response, address, names), 2)
          : depthTable(response, names, coloursFor(io.stdout, io.env), numberFormat(io.stdout)),
      )
    }),
})

export const depthTable = (
  response: Depth,
  names: TokenNames,
  colours: Colours,
  grouped: NumberFormat,
): string => {
  const { mint, price, timestamp } = response
  const quantityText = (units: bigint) => grouped(formatTokens(units, names.decimals(mint)))
  const column = columnsOf(['buy', 'sell'] as const)
  const columns = [
    column({ title: '', align: 'left' }, (side) => ({ text: side })),
    column({ title: 'USD', align: 'right' }, (side) => ({
      text: grouped(formatUsd(response[side].totalQuantityUsd)),
    })),
    column({ title: 'QUANTITY', align: 'right' }, (side) => ({
      text: quantityText(response[side].totalQuantity),
    })),
  ]
  const headline = `${names.full(mint)} at ${grouped(formatPrice(price))} USD, ${formatTime(timestamp)}`
  return [headline, ...drawTable(columns, Infinity, colours.dim)].join('\n')
}
