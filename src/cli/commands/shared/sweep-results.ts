import { isLeft } from 'fp-ts/lib/Either.js'
import type { SweepError, SweepResult, SweepRun } from '../../../backtest/sweep/index.js'
import { plainDecimal } from '../../../base/domain/plain-decimal.js'
import { printable } from '../../../base/errors/text.js'
import { counted } from '../../../view/texts.js'
import { drawTable, type Cell, type Column } from '../../render/table.js'
import type { Colours, NumberFormat } from '../../render/terminal.js'
import { CsvFile, numberCell } from './csv-file.js'
import { fieldOf, isFolded, numberNames, numberOf, resultOf } from './metrics.js'
import { jsonText } from './replayed-strategy.js'

// The results of a sweep: as lines, as a table, and as CSV.

export type Result = SweepResult<unknown, unknown>

/** The results with the highest number in a field of their last value first; those without one last, in their order. */
export const sortedBy = (results: readonly Result[], field: string): readonly Result[] =>
  highestFirst(results, (result) => numberIn(result, field))

/** Throws if no result has a number in the field: they have not been sorted. */
export const checkSorted = (results: readonly Result[], field: string): void => {
  if (results.some((result) => numberIn(result, field) !== undefined)) return
  const names = numberNamesOf(results)
  const numbers = names.length === 0 ? 'it has none' : `its numbers are ${names.map(printable).join(', ')}`
  throw new Error(`--sort: no last value has a number ${printable(field)}; ${numbers}`)
}

const numberNamesOf = (results: readonly Result[]): readonly string[] => [
  ...new Set(results.flatMap((result) => (isLeft(result) ? [] : numberNames(resultOf(result.right.values))))),
]

/** Those without a score last, in their order. */
export const highestFirst = <A>(
  items: readonly A[],
  scoreOf: (item: A) => number | undefined,
): readonly A[] =>
  items.toSorted((a, b) => {
    const [left = -Infinity, right = -Infinity] = [scoreOf(a), scoreOf(b)]
    return left === right ? 0 : right - left
  })

const numberIn = (result: Result, field: string): number | undefined =>
  isLeft(result) ? undefined : numberOf(resultOf(result.right.values), field)

/** Writes a line for each result: its parameter as JSON, each number of its last value, and why it has none. */
export const writeResults = (path: string, results: readonly Result[]): void => {
  const names = numberNamesOf(results)
  const file = new CsvFile('--csv', path, ['parameter', ...names, 'error'])
  for (const result of results) {
    const value = isLeft(result) ? undefined : resultOf(result.right.values)
    const numbers = names.map((name) => numberCell(fieldOf(value, name)))
    file.add([jsonText(parameterOf(result)), ...numbers, isLeft(result) ? failureText(result.left) : ''])
  }
  file.close()
}

export const parameterOf = (result: Result): unknown =>
  isLeft(result) ? result.left.parameter : result.right.parameter

export const sweepLine = (result: Result, { failed }: Colours, grouped: NumberFormat): string => {
  if (isLeft(result)) return failed(`${jsonText(result.left.parameter)}  ${failureText(result.left)}`)
  const { parameter, values, summary } = result.right
  return [
    jsonText(parameter),
    counted(values.length, 'value', grouped),
    counted(summary.rows, 'row', grouped),
    ...(values.length === 0 ? [] : [`last ${jsonText(resultOf(values))}`]),
  ].join('  ')
}

/** The figures of accounts, with their ranks in the table. */
const figures = [
  ['profitUsd', 1],
  ['returnRatio', 2],
  ['annual.sharpe', 4],
  ['maxDrawdown', 3],
  ['roundTrips', 5],
  ['winRate', 6],
] as const

/** The lines of a table of the results. Those of accounts have a column for each of the usual figures. */
export const sweepTable = (
  results: readonly Result[],
  width: number,
  { failed, dim }: Colours,
  grouped: NumberFormat,
): string => {
  const column = (
    head: Pick<Column, 'title' | 'rank'> & { readonly width?: number },
    cellOf: (result: Result) => Cell,
  ): Column => ({
    align: head.width === undefined ? 'right' : 'left',
    width: 0,
    ...head,
    cells: results.map(cellOf),
  })
  const count = (title: string, rank: number, countOf: (run: SweepRun<unknown, unknown>) => number): Column =>
    column({ title, rank }, (result) => ({
      text: isLeft(result) ? '' : grouped(String(countOf(result.right))),
    }))
  const figure = (name: string, rank: number): Column =>
    column({ title: name, rank }, (result) => {
      const number = numberIn(result, name)
      return { text: number === undefined ? '' : grouped(plainDecimal(Number(number.toPrecision(6)))) }
    })
  const isOfAccounts = results.some((result) => !isLeft(result) && isFolded(result.right.values.at(-1)))
  const last = column({ title: 'last value', rank: 1, width: 40 }, (result) => {
    if (isLeft(result)) return { text: failureText(result.left), paint: failed, canCut: true }
    const { values } = result.right
    return { text: values.length === 0 || isOfAccounts ? '' : jsonText(resultOf(values)), canCut: true }
  })
  const columns = [
    column({ title: 'parameter', rank: 0, width: 20 }, (result) => ({
      text: jsonText(parameterOf(result)),
      canCut: true,
    })),
    ...(isOfAccounts
      ? figures.map(([name, rank]) => figure(name, rank))
      : [count('values', 2, ({ values }) => values.length), count('rows', 3, ({ summary }) => summary.rows)]),
    ...(isOfAccounts && !results.some(isLeft) ? [] : [last]),
  ]
  return drawTable(columns, width, dim)
    .map((line) => `${line}\n`)
    .join('')
}

const failureText = ({ message }: SweepError): string => printable(`failed: ${message}`)
