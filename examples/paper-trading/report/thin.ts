import type { Equity } from '../account.js'
import type { Scale } from './scale.js'

/** At most four points for each unit of the scale: the first, the lowest, the highest and the last, in order of time. */
export const thin = (points: readonly Equity[], x: Scale, width: number): readonly Equity[] => {
  if (points.length <= 4 * width) return points
  const columns = new Map<number, Equity[]>()
  for (const point of points) {
    const column = Math.floor(x(point.at))
    const inColumn = columns.get(column)
    if (inColumn === undefined) columns.set(column, [point])
    else inColumn.push(point)
  }
  return [...columns.values()].flatMap(outline)
}

const outline = (points: readonly Equity[]): readonly Equity[] => {
  const [first] = points
  if (first === undefined) return []
  const extremes = points.reduce(
    ({ lowest, highest }, point) => ({
      lowest: point.equity < lowest.equity ? point : lowest,
      highest: point.equity > highest.equity ? point : highest,
    }),
    { lowest: first, highest: first },
  )
  const kept = new Set([first, extremes.lowest, extremes.highest, points.at(-1)])
  return points.filter((point) => kept.has(point))
}
