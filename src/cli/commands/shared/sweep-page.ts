import { isLeft } from 'fp-ts/lib/Either.js'
import { basename } from 'node:path'
import { replay } from '../../../backtest/recording/index.js'
import { renderSweep, type SweepRow } from '../../../backtest/results/render-sweep.js'
import { orFail } from '../../render/error-text.js'
import { isFolded, numberNames, numberOf, resultOf } from './metrics.js'
import { jsonText, type BacktestFiles } from './replayed-strategy.js'
import { candleNotes, titleOf, writePage } from './report.js'
import { highestFirst, parameterOf, type Result } from './sweep-results.js'

export interface SweepReport extends BacktestFiles {
  readonly path: string
  /** The number by which the parameters are compared. Default: the first one of the results. */
  readonly sort: string | undefined
  /** Gives the page again. */
  readonly command: string
}

/** Writes the page of a sweep. */
export const writeSweepPage = async (
  { path, sort, command, recordings, module }: SweepReport,
  results: readonly Result[],
): Promise<void> => {
  const rows = results.map(rowOf)
  const [first] = rows.flatMap(({ figures }) => Object.keys(figures))
  const metric = sort ?? first
  const sorted = highestFirst(rows, ({ figures }) => figures[metric ?? ''])
  await using client = replay(recordings, { speed: Infinity })
  const html = renderSweep(sorted, {
    title: titleOf(`${basename(module)}, sweep`, recordings),
    metric,
    notes: [selectionRule, ...candleNotes(orFail(await client.header()))],
    command,
  })
  writePage(path, html)
}

const selectionRule =
  'Each parameter ran over the same data. The best of many is better here than on other data: --walk-forward tests it on data ' +
  'that did not choose it. The costs of an account are those of the command, and of the options of its module.'

const rowOf = (result: Result): SweepRow => {
  const parameter = parameterOf(result)
  const values = isLeft(result) ? [] : result.right.values
  const [last, value] = [values.at(-1), resultOf(values)]
  const isObject = typeof parameter === 'object' && parameter !== null && !Array.isArray(parameter)
  const names = typeof value === 'number' ? [] : numberNames(value)
  return {
    name: jsonText(parameter),
    fields: isObject ? { ...parameter } : { parameter },
    figures:
      typeof value === 'number'
        ? { 'last value': value }
        : Object.fromEntries(names.map((name) => [name, numberOf(value, name) ?? 0])),
    curve: isFolded(last) ? last.curve : [],
    failure: isLeft(result) ? result.left.message : undefined,
  }
}
