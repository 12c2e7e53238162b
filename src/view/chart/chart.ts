import { timeTicks, valueTicks, type Tick } from './axis.js'
import { areaOf, lineOf, partOf, rangeOf, round, tracesOf } from './chart-data.js'
import type { ChartData, Place, Span } from './chart-data.js'
import { noLayers, percent, textHtml } from './chart-html.js'
import type { Layers, Size } from './chart-html.js'
import { formatShare, formatUsd, shortTime } from '../format.js'

/** The chart of reports and of the dashboard. */
export interface Chart {
  readonly data: ChartData
  /** The part that is shown, in ms since the Unix epoch. */
  readonly times: Span
  /** `steps`: a value is valid until the next one, and the last time is the end of the last value. */
  readonly kind: 'line' | 'steps'
  /** Draws steps of time in place of the line. */
  readonly shapes?: Shapes
  /** Values in %: the area between the line and 0 is filled. */
  readonly isShare?: boolean
  /** Its last value is the current one: it has a line and a label. */
  readonly isLive?: boolean
  /** Lines to compare with. */
  readonly others?: readonly ChartData[]
  readonly marks?: readonly Mark[]
  /** Values with a line of their own. */
  readonly levels?: readonly number[]
}

export interface Shapes {
  /** The length of a step for a width in CSS pixels, in ms. */
  readonly stepOf: (times: Span, width: number) => number
  readonly layersOf: (plane: Plane, part: ChartData, step: number) => Pick<Layers, 'up' | 'down'>
}

/** A triangle whose tip is at a value: a buy points up from below, a sell points down from above. */
export interface Mark {
  readonly at: number
  readonly value: number
  readonly side: 'buy' | 'sell'
  readonly text: string
}

export interface Format {
  /** Of the last value, at the axis. */
  readonly label: (value: number) => string
  /** Of the crosshair; `null` in a gap. */
  readonly value: (value: number | null) => string
  readonly time: (at: number) => string
  /** Of the clock from UTC, in ms. */
  readonly offset: (at: number) => number
}

/** Of a report: times are in UTC. */
export const reportFormat = ({ isShare = false }: Pick<Chart, 'isShare'>): Format => {
  const label = isShare ? (percent: number) => formatShare(percent / 100) : formatUsd
  return {
    label,
    value: (value) => (value === null ? 'none' : label(value)),
    time: shortTime,
    offset: () => 0,
  }
}

/** Where the pointer, or the keyboard, is. `value`: `null` in a gap. */
export interface Cursor {
  readonly at: number
  readonly value: number | null
}

export interface Drawing {
  readonly layers: Layers
  /** The time from the left to the right. */
  readonly times: Span
}

/** The place of a chart, in CSS pixels. */
export interface Plane extends Place, Size {
  readonly times: Span
  readonly values: Span
}

export const drawChart = (
  chart: Chart,
  format: Format,
  size: Size,
  cursor?: Cursor,
  selection?: Span,
): Drawing => {
  const { times, shapes, isLive = false, isShare = false } = chart
  const part = partOf(chart.data, times)
  const others = (chart.others ?? []).map((each) => partOf(each, times))
  const marks = (chart.marks ?? []).filter(({ at }) => at >= times.from && at <= times.to)
  const values = [...[part, ...others].flatMap((each) => each.values), ...marks.map(({ value }) => value)]
  const range = rangeOf(values)
  if (range === undefined) return { layers: noLayers, times }
  const step = shapes?.stepOf(times, size.width) ?? 0
  // The current step is whole, or the dot at the end of the line.
  const space = isLive ? Math.max(step, (dotSpace * (times.to - times.from)) / size.width) : 0
  const shown = { from: times.from, to: times.to + space }
  const plane = planeOf(size, shown, scaleOf(isShare ? { ...range, to: Math.max(range.to, 0) } : range))
  const layers = {
    ...noLayers,
    none: '',
    gaps: columns(plane, gapsOf(part)),
    ...axes(plane, format, isLive ? part : undefined, isShare),
    ...(shapes?.layersOf(plane, part, step) ?? line(plane, part, chart)),
    marks: triangles(plane, marks),
    others: others.map((each, index) => otherLine(plane, each, index)).join(''),
    levels: (chart.levels ?? []).map((level) => across(plane, level)).join(''),
    selection: columns(plane, selection && [selection]),
    crosshair: cursor === undefined ? '' : crosshair(plane, cursor),
    dots:
      (cursor === undefined ? '' : dot(plane, cursor)) +
      (isLive && shapes === undefined ? end(plane, part) : ''),
  }
  return { layers, times: shown }
}

const planeOf = ({ width, height }: Size, times: Span, values: Span): Plane => ({
  ...{ width, height, times, values },
  x: (at) => ((at - times.from) / (times.to - times.from || 1)) * width,
  y: (value) => ((values.to - value) / (values.to - values.from)) * height,
})

/** The least height of a chart, as a share of the value: a very small move must not look like a large one. */
const minHeight = 0.0002

/** The values of a chart, with a margin. */
export const scaleOf = ({ from, to }: Span): Span => {
  const height = Math.max(to - from, Math.abs(to) * minHeight) || 0.001
  const middle = from + (to - from) / 2
  return { from: middle - height * 0.6, to: middle + height * 0.6 }
}

/** Distances of labels, in CSS pixels. The label of the last value takes the place of others. */
const [valueSpace, tagSpace] = [34, 15]

/** The distance of labels of times, in CSS pixels, by their number of characters: `10:56`, `10:56:30`, `10-04 12:00`. */
const timeSpaces = [
  [5, 42],
  [8, 60],
  [Infinity, 88],
] as const

const maxValues = 8

/** A label at the top must not stand on what is above the chart, in CSS pixels. */
const halfLabel = 6

/** From the end of a line to the right, in CSS pixels. */
const dotSpace = 4

/** `live`: the last value has a line, and a label at the axis. */
const axes = (
  plane: Plane,
  format: Format,
  live: ChartData | undefined,
  isShare: boolean,
): Pick<Layers, 'grid' | 'last' | 'values' | 'times' | 'widest'> => {
  const { width, height, x, y } = plane
  const last = live?.values.findLast((value) => value !== null) ?? undefined
  const hasRoom = (value: number): boolean =>
    y(value) >= halfLabel && (last === undefined || Math.abs(y(value) - y(last)) > tagSpace)
  const { from, to } = plane.values
  const ticks = valueTicks(from, to, Math.min(maxValues, height / valueSpace), hasRoom).map((tick) =>
    isShare ? { ...tick, label: `${tick.label} %` } : tick,
  )
  const { space, clock } = timeAxis(plane, format)
  const labels = ticks.filter(({ value }) => hasRoom(value))
  const top = (value: number): string => percent(y(value) / height)
  const tag = last === undefined ? '' : format.label(last)
  const tagHtml =
    last === undefined
      ? ''
      : `<g class="tag"><rect y="${top(last)}" width="100%" height="17" rx="2"/>${textHtml('8', top(last), tag)}</g>`
  // A text at the edge would be cut.
  const isInside = ({ value }: Tick): boolean => x(value) > space / 3 && x(value) < width - space / 3
  return {
    grid: ticks.map(({ value }) => across(plane, value)).join(''),
    last: last === undefined ? '' : across(plane, last),
    values: labels.map(({ value, label }) => textHtml('8', top(value), label)).join('') + tagHtml,
    times: clock
      .filter(isInside)
      .map(({ value, label }) => textHtml(percent(x(value) / width), '17', label))
      .join(''),
    widest: [tag, ...ticks.map(({ label }) => label)].reduce((widest, label) =>
      label.length > widest.length ? label : widest,
    ),
  }
}

/** The shorter the labels, the more of them. */
const timeAxis = ({ times, width }: Plane, { offset }: Format) => {
  let axis: { readonly space: number; readonly clock: readonly Tick[] } = { space: 0, clock: [] }
  for (const [most, space] of timeSpaces) {
    axis = { space, clock: timeTicks(times.from, times.to, width / space, offset(times.to)) }
    if (axis.clock.every(({ label }) => label.length <= most)) break
  }
  return axis
}

/** A line over the width of a chart; none for a value that is not on it. */
const across = ({ width, height, y }: Plane, value: number): string => {
  const top = round(y(value))
  return Number(top) < 0 || Number(top) > height ? '' : `M0,${top}H${width}`
}

/** Rectangles over the height of a chart. Each can be seen, also a very short one. */
const columns = ({ width, height, x }: Plane, spans: readonly Span[] = []): string =>
  spans
    .map(({ from, to }) => [Math.max(0, x(from)), Math.min(width, x(to))] as const)
    .filter(([left, right]) => left < right)
    .map(([left, right]) => `M${round(left)},0H${round(Math.max(right, left + 2))}V${height}H${round(left)}Z`)
    .join('')

/** The times without a value; one that lasts until the last time ends there. */
export const gapsOf = ({ times, values }: ChartData): readonly Span[] => {
  const gaps: { from: number; to: number }[] = []
  times.forEach((from, index) => {
    const [to, before] = [times[index + 1], gaps.at(-1)]
    if (values[index] !== null || to === undefined) return
    if (before?.to === from) before.to = to
    else if (to > from) gaps.push({ from, to })
  })
  return gaps
}

const line = (
  plane: Plane,
  part: ChartData,
  { kind, isShare = false }: Chart,
): Pick<Layers, 'line' | 'area'> => {
  const traces = tracesOf(part, plane, kind === 'steps')
  const isFilled = isShare || kind === 'steps'
  return {
    line: lineOf(traces),
    area: isFilled ? areaOf(traces, isShare ? plane.y(0) : plane.height) : '',
  }
}

/** Lines differ by their dashes. */
export const otherClass = (index: number): string => `other dashes-${index % 4}`

const otherLine = (plane: Plane, data: ChartData, index: number): string =>
  `<path class="${otherClass(index)}" d="${lineOf(tracesOf(data, plane))}"/>`

/** The least distance of two marks of a side, in CSS pixels. */
const markSpace = 5

/** One mark for each that has room. The line is before them. */
const triangles = ({ times, width, height, x, y }: Plane, marks: readonly Mark[]): string =>
  spreadMarks(marks, times, width / markSpace)
    .map(({ at, value, side }) => {
      const [left, top] = [percent(x(at) / width), percent(y(value) / height)]
      return `<use href="#${side}" class="${side}" x="${left}" y="${top}"/>`
    })
    .join('')

/** The first mark of each side in each of `parts` equal parts of the time. */
export const spreadMarks = (marks: readonly Mark[], { from, to }: Span, parts: number): readonly Mark[] => {
  const first = new Map<string, Mark>()
  for (const mark of marks) {
    const part = `${mark.side} ${Math.floor((parts * (mark.at - from)) / (to - from || 1))}`
    if (!first.has(part)) first.set(part, mark)
  }
  return [...first.values()]
}

const crosshair = (plane: Plane, { at, value }: Cursor): string =>
  `M${round(Math.max(0, plane.x(at)))},0V${plane.height}${value === null ? '' : across(plane, value)}`

const dot = ({ x, y }: Plane, { at, value }: Cursor): string =>
  value === null ? '' : `M${round(x(at))},${round(y(value))}h0`

/** A whole dot at the end of a line that is current. */
const end = ({ width, y }: Plane, { values }: ChartData): string => {
  const value = values.at(-1) ?? null
  return value === null ? '' : `M${round(width - dotSpace)},${round(y(value))}h0`
}
