import { formatQuantity } from 'svc-streams'
import { formatMoney, formatPrice, maxTokenDecimals } from '../money.js'
import type { Filled, Rejected } from '../order.js'
import type { Holding } from '../account.js'
import type { Report } from './report.js'

// The report as text in columns of a fixed width, so that two reports can be compared line by line.

/** The width of each column; negative: aligned to the left. */
const orderColumns = [-12, -4, -5, 14, 14, 12, 10, 0]
const holdingColumns = [-6, 16, 14, 14, 14, 14]
const totalColumns = [-18, 16]

export const renderTable = (report: Report): string => {
  const { portfolio, holdings, unrealised, start, equity } = report.account
  const decimals = new Map(holdings.map((each) => [each.symbol, each.decimals]))
  const totals: readonly (readonly [string, bigint])[] = [
    ['cash at the start', start],
    ['realised', portfolio.realised],
    ['unrealised', unrealised],
    ['fees', -portfolio.fees],
    ['equity', equity.equity],
    ['largest drawdown', -report.maxDrawdown],
  ]
  return [
    line(orderColumns, ['TIME, UTC', 'SIDE', 'TOKEN', 'ORDERED', 'FILLED', 'PRICE, USD', 'FEE, USD']),
    ...report.orders.map((each) =>
      line(orderColumns, orderCells(each, decimals.get(each.order.symbol) ?? 0)),
    ),
    '',
    line(holdingColumns, ['TOKEN', 'POSITION', 'AVERAGE COST', 'PRICE, USD', 'VALUE, USD', 'UNREALISED']),
    ...holdings.map((each) => line(holdingColumns, holdingCells(each))),
    '',
    ...totals.map(([name, amount]) => `${line(totalColumns, [name, formatMoney(amount)])} USD`),
  ].join('\n')
}

const orderCells = (result: Filled | Rejected, decimals: number): readonly string[] => {
  const { side, symbol, size } = result.order
  const cells = [timeOf(result.at), side, symbol]
  if (result._tag === 'Rejected') {
    const ordered = 'usd' in size ? `${size.usd} USD` : tokens(size.units, decimals)
    return [...cells, ordered, 'rejected', '', '', result.reason]
  }
  const { quantity, price, fee } = result.trade
  return [
    ...cells,
    tokens(result.ordered, decimals),
    tokens(quantity, decimals),
    formatPrice(price),
    formatMoney(fee, 4),
    quantity < result.ordered ? 'partly' : '',
  ]
}

const holdingCells = (holding: Holding): readonly string[] => {
  const { symbol, quantity, decimals, cost, price, value } = holding
  return [
    symbol,
    tokens(quantity, decimals),
    quantity === 0n ? '-' : formatPrice(averageCost(holding)),
    formatPrice(price),
    formatMoney(value),
    formatMoney(value - cost),
  ]
}

/** USD for one token, as a `UnitPrice`, rounded towards 0. */
const averageCost = ({ cost, quantity, decimals }: Holding): bigint =>
  cost / (quantity * 10n ** BigInt(maxTokenDecimals - decimals))

/** The exact quantity with six digits after the point; further digits are cut off. */
const tokens = (quantity: bigint, decimals: number): string => {
  const [whole = '', fraction = ''] = formatQuantity(quantity, decimals).split('.')
  return `${whole}.${fraction.slice(0, 6).padEnd(6, '0')}`
}

const timeOf = (at: number): string => (at === 0 ? 'before data' : new Date(at).toISOString().slice(11, 23))

const line = (widths: readonly number[], cells: readonly string[]): string =>
  cells
    .map((cell, index) => {
      const width = widths[index] ?? 0
      return width < 0 ? cell.padEnd(-width) : cell.padStart(width)
    })
    .join('  ')
    .trimEnd()
