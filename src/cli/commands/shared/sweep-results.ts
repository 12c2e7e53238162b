import { basename } from 'node:path'
import { isLeft } from 'fp-ts/lib/Either.js'
import { figuresOf } from '../../../view/figure-texts.js'
import type { SweepError, SweepResult } from '../../../backtest/sweep/index.js'
import { plainDecimal } from '../../../base/domain/plain-decimal.js'
import { printable } from '../../../base/errors/text.js'
import { counted } from '../../../view/texts.js'
import { renderSweep, type SweepRow } from '../../render/sweep-page.js'
import type { NumberFormat } from '../../render/terminal.js'
import { CsvFile, numberCell } from './csv-file.js'
import { isFolded, isNumber, numberOf, numbersOf, numbersText, resultOf } from './metrics.js'
import { jsonText, type StrategyRun } from './replayed-strategy.js'
import { conditionsOf, headerOf, titleOf, writePage } from './report.js'

export type Result = SweepResult<unknown, unknown>

/** The results with the highest number in a field of their last value first; those without one last, in their order. */
export const sortedBy = (results: readonly Result[], field: string): readonly Result[] =>
  highestFirst(results, (result) => numberOf(lastOf(result), field))

/** Throws if no result has a number in the field: they have not been sorted. */
export const checkSorted = (results: readonly Result[], field: string): void => {
  if (results.some((result) => numberOf(lastOf(result), field) !== undefined)) return
  const numbers = numbersText(numberNamesOf(results))
  throw new Error(`--sort: no last value has a number ${printable(field)}; ${numbers}`)
}

/** Those without a score last, in their order. */
const highestFirst = <A>(items: readonly A[], scoreOf: (item: A) => number | undefined): readonly A[] =>
  items.toSorted((a, b) => {
    const [left = -Infinity, right = -Infinity] = [scoreOf(a), scoreOf(b)]
    return left === right ? 0 : right - left
  })

const numberNamesOf = (results: readonly Result[]): readonly string[] => [
  ...new Set(results.flatMap((result) => [...numbersOf(lastOf(result)).keys()])),
]

const lastOf = (result: Result): unknown =>
  isLeft(result) ? undefined : withName(resultOf(result.right.values))

/** A last value that is a number itself has a name as those in its fields have. */
const withName = (value: unknown): unknown => (isNumber(value) ? { 'last value': value } : value)

const parameterOf = (result: Result): unknown =>
  isLeft(result) ? result.left.parameter : result.right.parameter

/** Writes a line for each result: its parameter as JSON, each number of its last value, and why it has none. */
export const writeResults = (path: string, results: readonly Result[]): void => {
  const names = numberNamesOf(results)
  const file = new CsvFile('--csv', path, ['parameter', ...names, 'error'])
  for (const result of results) {
    const numbers = numbersOf(lastOf(result))
    const cells = names.map((name) => numberCell(numbers.get(name)))
    file.add([jsonText(parameterOf(result)), ...cells, isLeft(result) ? failureText(result.left) : ''])
  }
  file.close()
}

export const sweepLine = (result: Result, grouped: NumberFormat): string => {
  const parameter = jsonText(parameterOf(result))
  if (isLeft(result)) return `${parameter}  ${failureText(result.left)}`
  const { values, summary } = result.right
  const last = values.at(-1)
  const texts = isFolded(last)
    ? figures.map((name) => `${name} ${figureText(numberOf(last.summary, name), grouped)}`)
    : [
        counted(values.length, 'value', grouped),
        counted(summary.rows, 'row', grouped),
        ...(values.length === 0 ? [] : [`last ${jsonText(last)}`]),
      ]
  return [parameter, ...texts].join('  ')
}

/** The figures of an account that a line shows. */
const figures = ['profitUsd', 'returnRatio', 'maxDrawdown', 'annual.sharpe', 'roundTrips', 'winRate']

const figureText = (value: number | undefined, grouped: NumberFormat): string =>
  value === undefined ? '-' : grouped(plainDecimal(Number(value.toPrecision(6))))

const failureText = ({ message }: SweepError): string => printable(`failed: ${message}`)

export const writeSweepPage = async (
  path: string,
  run: StrategyRun,
  results: readonly Result[],
  sort: string | undefined,
): Promise<void> => {
  const { recordings, module, account, commandText } = run
  const rows = results.map(rowOf)
  const metric = sort ?? rows.flatMap(({ figures }) => Object.keys(figures))[0]
  const html = renderSweep(
    highestFirst(rows, ({ figures }) => figures[metric ?? '']),
    {
      title: titleOf(`${basename(module)}, sweep`, recordings),
      metric,
      notes: [selectionRule, ...conditionsOf(account, await headerOf(recordings))],
      command: commandText,
    },
  )
  writePage(path, html)
}

const selectionRule =
  'Each parameter ran over the same data. The best of many is better here than on other data: --walk-forward tests it on data ' +
  'that did not choose it.'

const rowOf = (result: Result): SweepRow => {
  const parameter = parameterOf(result)
  const last = isLeft(result) ? undefined : result.right.values.at(-1)
  const isObject = typeof parameter === 'object' && parameter !== null && !Array.isArray(parameter)
  return {
    fields: isObject ? { ...parameter } : { parameter },
    figures: figuresIn(last),
    curve: isFolded(last) ? last.curve : [],
    failure: isLeft(result) ? result.left.message : undefined,
  }
}

/** Of an account in the order of a report, those with a meaning. */
const figuresIn = (value: unknown): Readonly<Record<string, number>> => {
  const numbers = isFolded(value) ? figuresOf(value.summary) : [...numbersOf(withName(value))]
  return Object.fromEntries(
    numbers.flatMap(([name, number]) => (number === null ? [] : [[name, Number(number)] as const])),
  )
}
