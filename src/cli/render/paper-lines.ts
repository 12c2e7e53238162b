import { plainDecimal } from '../../base/domain/plain-decimal.js'
import type { HeldPosition, PaperEvent, PaperOptions, Summary } from '../../backtest/paper/index.js'
import { figuresOf } from '../../view/figure-texts.js'
import { printable } from '../../base/errors/text.js'
import { formatPrice, formatTime, formatTokens, formatUsd } from '../../view/texts.js'
import type { Io } from '../io.js'
import { numberFormat, outputJson, type NumberFormat } from './terminal.js'

/** The line of each event, if it has one: the results of orders, and each minute of data the value of the account. */
export const eventLines = (
  tokens: PaperOptions['tokens'],
  grouped: NumberFormat,
): ((event: PaperEvent) => string | undefined) => {
  const lineOf = resultLine(tokens, grouped)
  let lastAt = -Infinity
  return (event) => {
    if (event._tag !== 'Equity') return lineOf(event)
    const { at, equityUsd, isCurrent } = event
    if (at < lastAt + 60_000) return undefined
    lastAt = at
    return `${formatTime(at)}  equity ${grouped(formatUsd(equityUsd))} USD${isCurrent ? '' : ', not current'}`
  }
}

/** The line of the result of an order, and of an account that ends with a position; undefined for other events. */
export const resultLine =
  (tokens: PaperOptions['tokens'], grouped: NumberFormat) =>
  (event: PaperEvent): string | undefined => {
    switch (event._tag) {
      case 'Filled': {
        const { at, side, symbol, quantity, price, valueUsd, id, remaining } = event
        const quantityText = (units: bigint) => grouped(formatTokens(units, tokens[symbol]?.decimals))
        const rest = remaining === 0n ? '' : `, ${quantityText(remaining)} left`
        const traded = `${quantityText(quantity)} ${symbol} at ${grouped(formatPrice(price))}`
        return `${formatTime(at)}  ${side.padEnd(4)} ${traded}, ${grouped(formatUsd(valueUsd))} USD  #${printable(id)}${rest}`
      }
      case 'Rejected':
        return `${formatTime(event.at)}  rejected  #${printable(event.id)}: ${printable(event.reason)}`
      case 'Cancelled':
        return `${formatTime(event.at)}  cancelled  #${printable(event.id)}`
      case 'Liquidated':
        return `${formatTime(event.at)}  liquidated: the equity is ${grouped(formatUsd(event.equityUsd))} USD`
      case 'Account':
        return event.positions.length === 0
          ? undefined
          : `${formatTime(event.at)}  account  ${holdingsText(event.cashUsd, event.positions, tokens, grouped)}`
      case 'Equity':
      case 'WriteError':
        return undefined
    }
  }

export const printLine = ({ stdout }: Io, line: string | undefined): void => {
  if (line !== undefined) stdout.write(`${line}\n`)
}

/** The cash of an account and its positions that are not 0. */
export const holdingsText = (
  cash: number,
  positions: readonly Pick<HeldPosition, 'symbol' | 'quantity'>[],
  tokens: PaperOptions['tokens'],
  grouped: NumberFormat,
): string => {
  const held = positions.flatMap(({ symbol, quantity }) =>
    quantity === 0n ? [] : [`${grouped(formatTokens(quantity, tokens[symbol]?.decimals))} ${symbol}`],
  )
  return `${grouped(formatUsd(cash))} USD in cash, ${held.length === 0 ? 'no position' : held.join(' and ')}`
}

/** One figure a line, by its name in the summary; `-` for one without a meaning. */
export const printSummary = ({ stdout }: Io, summary: Summary, json: boolean): void => {
  const grouped = numberFormat(stdout)
  const lines = figuresOf(summary).map(
    ([name, value]) => `${printable(name).padEnd(20)}${value === null ? '-' : grouped(figureText(value))}\n`,
  )
  stdout.write(json ? `${outputJson({ _tag: 'Summary', ...summary })}\n` : lines.join(''))
}

/** Without the rounding errors of sums: 8 significant digits, and at least 2 decimals. */
const figureText = (value: number): string =>
  plainDecimal(Number(Math.abs(value) < 1e6 ? value.toPrecision(8) : value.toFixed(2)))
