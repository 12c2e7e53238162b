import { timeTicks, valueTicks, type Tick } from './axis.js'
import { escapeHtml } from './format.js'

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

/** A time that is hatched. In ms since the Unix epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A line to compare with. */
export interface Line {
  readonly name: string
  readonly points: readonly Point[]
}

export interface Chart {
  readonly title: string
  readonly points: readonly Point[]
  readonly others?: readonly Line[]
  readonly marks?: readonly Marks[]
  /** The times without prices: they are hatched, and the line has no value there. */
  readonly gaps?: readonly Span[]
  /** Every second one is shaded. */
  readonly spans?: readonly Span[]
  /** A share of 1 instead of an amount in USD: the area between the line and 0 is filled. */
  readonly isShare?: boolean
  readonly format: (value: number) => string
}

/**
 * A chart as HTML. The lines are SVG that is stretched to the width of the page; the labels are text of the page, so that
 * they have the same size on a phone and on paper.
 */
export const renderChart = ({
  title,
  points,
  others = [],
  marks = [],
  gaps = [],
  spans = [],
  isShare = false,
  format,
}: Chart): string => {
  const values = valuesOf(points)
  const [first, last] = [points[0], points.at(-1)]
  if (values.length === 0 || first === undefined || last === undefined) return ''
  const marked = marks.flatMap((each) => each.points.map(({ value }) => value))
  const [lowest, highest] = boundsOf(values, isShare)
  const compared = others.flatMap((each) => valuesOf(each.points))
  const [low, high] = withMargin(...boundsOf([...values, ...marked, ...compared], isShare), isShare)
  const share = (at: number): number => (at - first.at) / (last.at - first.at || 1)
  const height = (value: number): number => (high - value) / (high - low)
  const x = (at: number): string => round(share(at) * size.width)
  const y = (value: number): string => round(height(value) * size.height)
  const lines = segmentsOf(withGaps(points, gaps))
  const pathOf = (segments: readonly (readonly Drawn[])[]): string =>
    segments.map((line) => linePath(line, x, y)).join('')
  const areas = lines.map((line) => {
    const [from, to] = [line[0], line.at(-1)]
    return from && to ? `M${x(from.at)},${y(0)}L${linePath(line, x, y).slice(1)}L${x(to.at)},${y(0)}Z` : ''
  })
  const isDense = marked.length > maxLargeMarks
  const drawn = marks.map((each) => marksPath(each, isDense, x, y)).join('')
  const ticks = isShare ? valueTicks(low, high, 4, 100, ' %') : valueTicks(low, high, 6)
  const times = timeTicks(first.at, last.at).filter(({ value }) => share(value) > 0.03 && share(value) < 0.97)
  const description = `${title}: from ${format(values[0] ?? 0)} to ${format(values.at(-1) ?? 0)}, lowest ${format(lowest)}, highest ${format(highest)}`
  const grid = ticks.map(({ value }) => `M0,${y(value)}H${size.width}`).join('')
  return `<figure>
<figcaption>${escapeHtml(title)}${marks.some((each) => each.points.length > 0) ? legend : ''}${others.map(({ name }, index) => ` <span class="key"><i class="${otherClass(index)}"></i> ${escapeHtml(name)}</span>`).join('')}</figcaption>
<div class="chart${isShare ? ' low' : ''}"><div class="values">${labels(ticks, (value) => `top:${percent(height(value))}`)}</div>
<div class="plot" ${dataOf(title, points, format)}>${bands(spans, share)}${hatches(gaps, share)}
<svg viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(description)}">
<path class="grid" d="${grid}"/>
${isShare ? `<path class="area" d="${areas.join('')}"/>` : ''}${others.map((each, index) => `<path class="${otherClass(index)}" d="${pathOf(segmentsOf(withGaps(each.points, gaps)))}"/>`).join('')}${isDense ? drawn : ''}<path class="line" d="${pathOf(lines)}"/>${isDense ? '' : drawn}
</svg></div>
<div class="times">${labels(times, (value) => `left:${percent(share(value))}`)}</div></div>
</figure>`
}

/** The values of the line, for the crosshair of the script: each time is the ms after the one before. */
const dataOf = (title: string, points: readonly Point[], format: Chart['format']): string => {
  const times = points.map(({ at }, index) => at - (points[index - 1]?.at ?? 0))
  const values = points.map(({ value }) => (value === undefined ? '' : format(value)))
  return `data-name="${escapeHtml(title)}" data-times="${times.join(',')}" data-values="${values.join('|')}"`
}

/** Lines differ by their dashes. */
const otherClass = (index: number): string => `other dashes-${index % 4}`

const valuesOf = (points: readonly Point[]): readonly number[] =>
  points.flatMap(({ value }) => (value === undefined ? [] : [value]))

/** Of the SVG of a chart, in its units. */
export const size = { width: 1_000, height: 240 }

const legend =
  ' <span class="key"><i class="dot"></i> buy</span> <span class="key"><i class="square"></i> sell</span>'

const round = (value: number): string => String(Math.round(value * 10) / 10)

export const percent = (share: number): string => `${round(share * 100)}%`

export const labels = (ticks: readonly Tick[], styleOf: (value: number) => string): string =>
  ticks.map(({ value, label }) => `<span style="${styleOf(value)}">${label}</span>`).join('')

const bands = (spans: readonly Span[], share: (at: number) => number): string =>
  spans
    .filter((_, index) => index % 2 === 1)
    .map(({ from, to }) => {
      const [left, right] = [Math.max(0, share(from)), Math.min(1, share(to))]
      return `<div class="band" style="left:${percent(left)};width:${percent(Math.max(0, right - left))}"></div>`
    })
    .join('')

/** Gaps at one place are drawn once. */
const hatches = (gaps: readonly Span[], share: (at: number) => number): string => {
  const drawn: { left: number; right: number }[] = []
  for (const { from, to } of gaps) {
    const [left, right] = [Math.max(0, share(from)), Math.min(1, share(to))]
    const last = drawn.at(-1)
    if (left >= right) continue
    if (last !== undefined && left <= last.right + 0.001) last.right = Math.max(last.right, right)
    else drawn.push({ left, right })
  }
  return drawn
    .map(
      ({ left, right }) =>
        `<div class="gap" style="left:${percent(left)};width:${percent(right - left)}"></div>`,
    )
    .join('')
}

const boundsOf = (values: readonly number[], isShare: boolean): readonly [low: number, high: number] =>
  values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    isShare ? [0, 0] : [values[0] ?? 0, values[0] ?? 0],
  )

/** A flat line is in the middle. Shares end at 0. */
const withMargin = (low: number, high: number, isShare: boolean): readonly [low: number, high: number] => {
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.001 || 0.001
  return [low - margin, isShare ? high : high + margin]
}

/** Lines of length 0, whose ends have the shape. Dots at one place are drawn once. */
const marksPath = (
  { className, points }: Marks,
  isDense: boolean,
  x: (at: number) => string,
  y: (value: number) => string,
): string => {
  const placed = ({ at, value }: Marks['points'][number]) => [x(at), y(value)].map((each) => clustered(each))
  const clustered = (each: string) => (isDense ? Math.round(Number(each) / clusterSize) * clusterSize : each)
  const d = [...new Set(points.map((point) => `M${placed(point).join(',')}h0`))].join('')
  const shape = `<path class="${className}${isDense ? ' small' : ''}" d="${d}"/>`
  return isDense ? shape : `<path class="${className} edge" d="${d}"/>${shape}`
}

/** More are small, below the line, and those that are near each other are one. */
const maxLargeMarks = 100

/** In units of the chart. */
const clusterSize = 12

interface Drawn {
  readonly at: number
  readonly value: number
}

const linePath = (line: readonly Drawn[], x: (at: number) => string, y: (value: number) => string): string =>
  `M${line.map(({ at, value }) => `${x(at)},${y(value)}`).join('L')}${line.length === 1 ? 'h0' : ''}`

/** The points, without a value in each gap. */
const withGaps = (points: readonly Point[], gaps: readonly Span[]): readonly Point[] => {
  const all: Point[] = []
  let next = 0
  for (const point of points) {
    for (let gap = gaps[next]; gap !== undefined && gap.from < point.at; gap = gaps[++next])
      if (all.length > 0) all.push({ at: gap.from, value: undefined })
    all.push(point)
  }
  return all
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
