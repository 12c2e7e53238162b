import type { Command } from 'commander'
import { printResponse } from './print-response.js'
import { usageError } from '../input/deployment.js'
import { coloursFor } from '../output/colours.js'
import { depthTable } from '../output/depth-table.js'
import { formatJson } from '../output/format.js'
import { withToken } from '../output/token-json.js'
import { withTokens } from '../tokens/with-tokens.js'

/** The flags, as commander names and parses them. */
export interface DepthFlags {
  readonly json?: boolean
}

/** Sends one signed request, and prints the depth. */
export const printDepth = (command: Command, given: string, { json = false }: DepthFlags): Promise<void> =>
  withTokens(command, 'depth', [given], async ({ deployment, tokens: [{ address }], names }) => {
    const { depthClient } = deployment
    if (depthClient === undefined) return usageError(command, '--environment: testnet has no depth')
    const colours = coloursFor(process.stdout)
    await printResponse({
      task: depthClient.depth(address),
      addressFlag: deployment.serverFlag ?? 'baseUrl',
      render: (depth) =>
        json ? formatJson(withToken(depth, address, names)) : depthTable(depth, names, colours),
    })
  })
