import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { formatPrice, formatTime, formatTokens, formatUsd } from '../../view/texts.js'
import type { Depth } from '../../base/domain/depth.js'
import type { DepthError, PriceRequestError } from '../../base/errors/model.js'
import { outputJson } from '../render/json.js'
import { errorLine, hint } from '../render/error-text.js'
import { withTokens } from '../target/open-source.js'
import type { DeploymentFlagName } from '../target/source-flags.js'
import { print, type Io } from '../io.js'
import { withToken } from '../render/rows.js'
import { drawTable, type Column } from '../render/table.js'
import { coloursFor, numberFormat, type Colours, type NumberFormat } from '../render/terminal.js'
import { usageError } from '../run.js'
import type { TokenNames } from '../target/token-names.js'

interface RequestFlags {
  readonly json?: boolean
}

export const printPrice = (
  io: Io,
  command: Command,
  given: string,
  { json = false }: RequestFlags,
): Promise<void> =>
  withTokens(io, command, 'prices', [given], ({ source, tokens: [{ address }], names }) =>
    printResponse(
      io,
      source.client.price(names.topic(address)),
      source.serverFlag ?? 'priceBaseUrl',
      (price) =>
        json
          ? outputJson(withToken(price, address, names), 2)
          : numberFormat(io.stdout)(formatPrice(price.price)),
    ),
  )

export const printDepth = (
  io: Io,
  command: Command,
  given: string,
  { json = false }: RequestFlags,
): Promise<void> =>
  withTokens(io, command, 'depth', [given], async ({ source, tokens: [{ address }], names }) => {
    const { depthClient, serverFlag = 'baseUrl' } = source
    if (depthClient === undefined) return usageError(command, '--environment: testnet has no depth')
    await printResponse(io, depthClient.depth(address), serverFlag, (depth) =>
      json
        ? outputJson(withToken(depth, address, names), 2)
        : depthTable(depth, names, coloursFor(io.stdout, io.env), numberFormat(io.stdout)),
    )
  })

/**
 * Sends one request and prints its response. A failure throws an `Error` with the failure and a hint. `addressFlag`: the
 * flag that gives the address of the request.
 */
const printResponse = async <A>(
  io: Io,
  request: TaskEither<PriceRequestError | DepthError, A>,
  addressFlag: DeploymentFlagName,
  render: (response: A) => string,
): Promise<void> => {
  const response = await request()
  if (isLeft(response)) {
    throw new Error(`${errorLine(response.left)}\n${hint(response.left, addressFlag)}`)
  }
  await print(`${render(response.right)}\n`, io.stdout)
}

export const depthTable = (
  depth: Depth,
  names: TokenNames,
  colours: Colours,
  grouped: NumberFormat,
): string => {
  const { mint, price, timestamp, buy, sell } = depth
  const column = (title: string, texts: readonly [buy: string, sell: string]): Column => ({
    title,
    align: title === '' ? 'left' : 'right',
    rank: 0,
    width: 0,
    cells: texts.map((text) => ({ text })),
  })
  const quantity = (units: bigint) => grouped(formatTokens(units, names.decimals(mint)))
  const columns = [
    column('', ['buy', 'sell']),
    column('USD', [grouped(formatUsd(buy.totalQuantityUsd)), grouped(formatUsd(sell.totalQuantityUsd))]),
    column('QUANTITY', [quantity(buy.totalQuantity), quantity(sell.totalQuantity)]),
  ]
  const headline = `${names.full(mint)} at ${grouped(formatPrice(price))} USD, ${formatTime(timestamp)}`
  return [headline, ...drawTable(columns, Infinity, colours.dim)].join('\n')
}
