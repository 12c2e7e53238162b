import type { Command } from 'commander'
import { formatPrice } from '../../display/numbers.js'
import { printResponse } from './print-response.js'
import { formatJson } from '../output/format.js'
import { withToken } from '../output/token-json.js'
import { withTokens } from '../tokens/with-tokens.js'

/** The flags, as commander names and parses them. */
export interface PriceFlags {
  readonly json?: boolean
}

/** Requests one price over HTTP, and prints it. */
export const printPrice = (command: Command, given: string, { json = false }: PriceFlags): Promise<void> =>
  withTokens(command, 'prices', [given], ({ deployment, tokens: [{ address }], names }) =>
    printResponse({
      task: deployment.client.price(names.topic(address)),
      addressFlag: deployment.serverFlag ?? 'priceBaseUrl',
      render: (price) => (json ? formatJson(withToken(price, address, names)) : formatPrice(price.price)),
    }),
  )
