import { timeTicks, valueTicks, type Tick } from './axis.js'
import { escapeHtml } from './format.js'
import { areaOf, partsOf, pathOf, round, type Point } from './line.js'

/** Triangles on a chart, whose tips are at the values: a buy points up, a sell points down. */
export interface Marks {
  readonly side: 'buy' | 'sell'
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
  const compared = others.flatMap((each) => valuesOf(each.points))
  const [low, high] = withMargin(boundsOf([...values, ...marked, ...compared], isShare), isShare)
  const share = (at: number): number => (at - first.at) / (last.at - first.at || 1)
  const height = (value: number): number => (high - value) / (high - low)
  const place = {
    x: (at: number) => share(at) * size.width,
    y: (value: number) => height(value) * size.height,
  }
  const pathsOf = (line: readonly Point[], draw: typeof pathOf = pathOf): string =>
    partsOf(withGaps(line, gaps))
      .map((part) => draw(part, place))
      .join('')
  const unit = isShare ? 100 : 1
  const ticks = valueTicks(low * unit, high * unit, isShare ? 4 : 6).map(({ value, label }) => ({
    value: value / unit,
    label: isShare ? `${label} %` : label,
  }))
  const times = timeTicks(first.at, last.at, maxTimes).filter(({ value }) => isInside(share(value)))
  const [lowest, highest] = boundsOf(values, isShare)
  const description = `${title}: from ${format(values[0] ?? 0)} to ${format(values.at(-1) ?? 0)}, lowest ${format(lowest)}, highest ${format(highest)}`
  const area = isShare
    ? `<path class="area" d="${pathsOf(points, (part) => areaOf(part, place, place.y(0)))}"/>`
    : ''
  const otherLines = others.map(
    (each, index) => `<path class="${otherClass(index)}" d="${pathsOf(each.points)}"/>`,
  )
  const isDense = marked.length > maxLargeMarks
  const dots = marks.map((each) => triangles(each, isDense, share, height)).join('')
  const triangleLayer = dots === '' ? '' : `<svg class="marks" aria-hidden="true">${dots}</svg>`
  return `<figure>
<figcaption>${escapeHtml(title)}${dots === '' ? '' : legend}${others.map(({ name }, index) => ` <span class="key"><i class="${otherClass(index)}"></i> ${escapeHtml(name)}</span>`).join('')}</figcaption>
<div class="chart${isShare ? ' low' : ''}"><div class="values">${labels(ticks, (value) => `top:${percent(height(value))}`)}</div>
<div class="plot" ${dataOf(title, points, format)}>${bands(spans, share)}${hatches(gaps, share)}${isDense ? triangleLayer : ''}
<svg viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(description)}">
<path class="grid" d="${ticks.map(({ value }) => `M0,${round(place.y(value))}H${size.width}`).join('')}"/>
${area}${otherLines.join('')}<path class="line" d="${pathsOf(points)}"/>
</svg>${isDense ? '' : triangleLayer}</div>
<div class="times">${labels(times, (value) => `left:${percent(share(value))}`)}</div></div>
</figure>`
}

const maxTimes = 6

/** A text at the edge would be cut. */
const isInside = (share: number): boolean => share > 0.03 && share < 0.97

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
  ' <span class="key"><i class="buy"></i> buy</span> <span class="key"><i class="sell"></i> sell</span>'

export const percent = (share: number): string => `${round(share * 100)}%`

export const labels = (ticks: readonly Tick[], styleOf: (value: number) => string): string =>
  ticks.map(({ value, label }) => `<span style="${styleOf(value)}">${label}</span>`).join('')

const bands = (spans: readonly Span[], share: (at: number) => number): string =>
  rectangles(
    spans.filter((_, index) => index % 2 === 1),
    share,
    'band',
  )

/** Gaps at one place are drawn once. */
const hatches = (gaps: readonly Span[], share: (at: number) => number): string => {
  const drawn: { from: number; to: number }[] = []
  for (const { from, to } of gaps) {
    const last = drawn.at(-1)
    if (last !== undefined && share(from) <= share(last.to) + 0.001) last.to = Math.max(last.to, to)
    else drawn.push({ from, to })
  }
  return rectangles(drawn, share, 'gap')
}

const rectangles = (spans: readonly Span[], share: (at: number) => number, className: string): string =>
  spans
    .map(({ from, to }) => [Math.max(0, share(from)), Math.min(1, share(to))] as const)
    .filter(([left, right]) => left < right)
    .map(
      ([left, right]) =>
        `<div class="${className}" style="left:${percent(left)};width:${percent(right - left)}"></div>`,
    )
    .join('')

type Bounds = readonly [low: number, high: number]

const boundsOf = (values: readonly number[], isShare: boolean): Bounds =>
  values.reduce<Bounds>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    isShare ? [0, 0] : [values[0] ?? 0, values[0] ?? 0],
  )

/** A flat line is in the middle. Shares end at 0. */
const withMargin = ([low, high]: Bounds, isShare: boolean): Bounds => {
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.001 || 0.001
  return [low - margin, isShare ? high : high + margin]
}

/** More are small, below the line, and those that are near each other are one. */
const maxLargeMarks = 100

/** The distance of those, as a share of the width and of the height. */
const clusterSize = [0.012, 0.05] as const

/** Triangles at one place are drawn once. */
const triangles = (
  { side, points }: Marks,
  isDense: boolean,
  share: (at: number) => number,
  height: (value: number) => number,
): string => {
  const clustered = (part: number, each: number) => (isDense ? Math.round(part / each) * each : part)
  const drawn = points.map(({ at, value }) => {
    const [x, y] = [clustered(share(at), clusterSize[0]), clustered(height(value), clusterSize[1])]
    const shape = isDense ? `#${side}-small" class="${side} small` : `#${side}" class="${side}`
    return `<use href="${shape}" x="${percent(x)}" y="${percent(y)}"/>`
  })
  return [...new Set(drawn)].join('')
}

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
