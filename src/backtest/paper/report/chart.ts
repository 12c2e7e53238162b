import { escapeHtml, formatTime } from './format.js'

/** A value at a time. `undefined`: none, a gap in the line. */
export interface Point {
  readonly at: number
  readonly value: number | undefined
}

/** Dots on a chart, of one shape and colour. */
export interface Marks {
  readonly className: 'buy' | 'sell'
  readonly points: readonly { readonly at: number; readonly value: number }[]
}

interface Chart {
  readonly title: string
  readonly points: readonly Point[]
  readonly marks?: readonly Marks[]
  /** Fills the area between the line and 0. */
  readonly isArea?: boolean
  readonly format: (value: number) => string
}

/**
 * A chart as HTML. The lines are SVG that is stretched to the width of the page; the labels are text of the page, so that
 * they have the same size on a phone and on paper.
 */
export const renderChart = ({ title, points, marks = [], isArea = false, format }: Chart): string => {
  const values = points.flatMap(({ value }) => (value === undefined ? [] : [value]))
  const [first, last] = [points[0], points.at(-1)]
  if (values.length === 0 || first === undefined || last === undefined) return ''
  const marked = marks.flatMap((each) => each.points.map(({ value }) => value))
  const [low, high] = boundsOf([...values, ...marked], isArea)
  const x = (at: number): string => round(((at - first.at) / (last.at - first.at || 1)) * size.width)
  const y = (value: number): string => round(((high - value) / (high - low || 1)) * size.height)
  const lines = segmentsOf(thin(points, (at) => Math.floor(Number(x(at)))))
  const path = lines
    .map((line) => `M${line.map(({ at, value }) => `${x(at)},${y(value)}`).join('L')}`)
    .join('')
  const areas = lines.map((line) => {
    const [from, to] = [line[0], line.at(-1)]
    return from && to
      ? `M${x(from.at)},${y(0)}L${line.map(({ at, value }) => `${x(at)},${y(value)}`).join('L')}L${x(to.at)},${y(0)}Z`
      : ''
  })
  const description = `${title}: from ${format(values[0] ?? 0)} to ${format(values.at(-1) ?? 0)}, lowest ${format(low)}, highest ${format(high)}`
  return `<figure>
<figcaption>${escapeHtml(title)}</figcaption>
<div class="chart"><div class="values"><span>${format(high)}</span><span>${format((high + low) / 2)}</span><span>${format(low)}</span></div>
<svg viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(description)}">
<path class="grid" d="M0,0H${size.width}M0,${size.height / 2}H${size.width}M0,${size.height}H${size.width}"/>
${isArea ? `<path class="area" d="${areas.join('')}"/>` : ''}<path class="line" d="${path}"/>
${marks.map((each) => `<path class="${each.className}" d="${dots(each, x, y)}"/>`).join('\n')}
</svg></div>
<div class="times"><span>${shortTime(first.at)}</span><span>${shortTime(last.at)}</span></div>
</figure>`
}

const size = { width: 1_000, height: 240 }

const round = (value: number): string => String(Math.round(value * 10) / 10)

const shortTime = (at: number): string => formatTime(at).slice(0, 19)

const boundsOf = (values: readonly number[], isArea: boolean): readonly [low: number, high: number] =>
  values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    isArea ? [0, 0] : [values[0] ?? 0, values[0] ?? 0],
  )

/** Lines of length 0, whose ends have the shape. Dots at one place are drawn once. */
const dots = ({ points }: Marks, x: (at: number) => string, y: (value: number) => string): string =>
  [...new Set(points.map(({ at, value }) => `M${x(at)},${y(value)}h0`))].join('')

interface Drawn {
  readonly at: number
  readonly value: number
}

/** The line without its gaps. */
const segmentsOf = (points: readonly Point[]): readonly (readonly Drawn[])[] => {
  const segments: Drawn[][] = [[]]
  for (const { at, value } of points) {
    if (value === undefined) segments.push([])
    else segments.at(-1)?.push({ at, value })
  }
  return segments.filter(({ length }) => length > 0)
}

/** At most the first, the lowest, the highest and the last point of each column, and one gap. */
const thin = (points: readonly Point[], columnOf: (at: number) => number): readonly Point[] => {
  if (points.length <= 4 * size.width) return points
  const columns = new Map<number, Point[]>()
  for (const point of points) {
    const column = columns.get(columnOf(point.at)) ?? []
    column.push(point)
    columns.set(columnOf(point.at), column)
  }
  return [...columns.values()].flatMap((column) => {
    const byValue = column
      .filter(({ value }) => value !== undefined)
      .sort((a, b) => (a.value ?? 0) - (b.value ?? 0))
    const gap = column.find(({ value }) => value === undefined)
    const kept = new Set([column[0], byValue[0], byValue.at(-1), gap, column.at(-1)])
    return column.filter((point) => kept.has(point))
  })
}
