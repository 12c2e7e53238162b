import { formatPrice } from '../../view/texts.js'
import { withToken } from '../render/rows.js'
import { numberFormat, outputJson } from '../render/terminal.js'
import { withTokens } from '../target/open-source.js'
import { toggle } from '../target/parse-flags.js'
import { serviceFlags } from '../target/source-flags.js'
import { defineCommand, priceHelp, tokensFlag } from './shared/parts.js'
import { printResponse, tokenArgument } from './shared/print-response.js'

const examples = `
Examples:
  $ npx svc-streams price --simulate ETH
      Try the command with a simulator.
  $ npx svc-streams price WETH --tokens tokens.json
      Print the price in USD, and nothing else, from the service at SVC_PRICE_BASE_URL, with { "WETH": { "address": "0x82af…", "decimals": 18 } } in the file.

${priceHelp}

Exit codes: 0 for a price, 1 for a failed request, 2 for invalid arguments.`

export const createCommand = defineCommand({
  examples,
  arguments: tokenArgument,
  flags: { tokens: tokensFlag, json: toggle('--json', 'print the price as a JSON object'), ...serviceFlags },
  action: (io, command, { json = false }, given) =>
    withTokens(io, command, 'prices', [given], ({ source, tokens: [{ address }], names }) =>
      printResponse(
        io,
        source.client.price(names.topic(address)),
        source.serverFlag ?? 'priceBaseUrl',
        (response) =>
          json
            ? outputJson(withToken(response, address, names), 2)
            : numberFormat(io.stdout)(formatPrice(response.price)),
      ),
    ),
})
