import { inRounds, valuesOf } from '../measure/rounds.js'
import { quantile, ratios, spreadOf } from '../measure/statistics.js'
import { formatFigure, formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { growingLoads, type Growth } from './growth-loads.js'

/** The cost of a unit of work, by the amount of work. */
export const growth = async (settings: Settings): Promise<Section> => {
  // A cost that grows with the amount exceeds the differences between rounds by far.
  const rounds = Math.min(2, settings.rounds)
  const rows: (readonly string[])[] = []
  for (const load of growingLoads) rows.push(...(await rowsOf(load, settings, rounds)))
  return {
    method: `The cost of one unit of work, by the amount of work, ${rounds} rounds, one for NATS: the medians of each amount. Largest / smallest: the cost of a unit of the largest amount, relative to that of the smallest in the same round; below 1.00, work shares a cost. Growth: the greatest ratio of a median to that of a smaller amount; up to 1.30 counts as flat, and a note explains each one above.`,
    columns: ['Amount', 'cost', 'amounts', 'cost of a unit', 'largest / smallest', 'growth'],
    rows,
    notes: growingLoads.flatMap(({ notes = [] }) => notes),
  }
}

const rowsOf = async (
  { amount, amounts, costs, maxRounds = Infinity, run }: Growth,
  settings: Settings,
  rounds: number,
): Promise<readonly (readonly string[])[]> => {
  process.stderr.write(` ${amount}:`)
  const measured = await run(settings, (measure) => inRounds(Math.min(rounds, maxRounds), amounts, measure))
  return costs.map((cost, index) => {
    const figures = amounts.map((each) => valuesOf(measured, each, (values) => values[index] ?? NaN))
    const medians = figures.map((values) => quantile(values, 0.5))
    const [smallest = [], largest = []] = [figures[0], figures.at(-1)]
    return [
      amount,
      cost,
      amounts.join(' / '),
      medians.map(formatFigure).join(' / '),
      formatSpread(spreadOf(ratios(largest, smallest))),
      formatFigure(growthOf(medians)),
    ]
  })
}

/** The greatest ratio of a value to an earlier one. */
const growthOf = (values: readonly number[]): number =>
  Math.max(...values.slice(1).map((value, index) => value / Math.min(...values.slice(0, index + 1))))
