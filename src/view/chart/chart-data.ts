// What charts show: of a report, of the dashboard, and of its table.

export interface ChartData {
  /** In ms since the Unix epoch, in order. */
  readonly times: readonly number[]
  /** The value from each time on; `null` if there is none: a gap. */
  readonly values: readonly (number | null)[]
}

/** A part of an axis: times in ms since the Unix epoch, or values. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The samples of a time, with those before and after it. */
export const partOf = ({ times, values }: ChartData, { from, to }: Span): ChartData => {
  const start = Math.max(0, indexAt(times, from))
  const end = indexAt(times, to) + 2
  return { times: times.slice(start, end), values: values.slice(start, end) }
}

/** The index of the sample that holds at a time; -1 before the first one. */
export const indexAt = (times: ChartData['times'], at: number): number =>
  times.findLastIndex((time) => time <= at)

/** The lowest and the highest value; `undefined` without one. */
export const rangeOf = (values: ChartData['values']): Span | undefined => {
  let [from, to] = [Infinity, -Infinity]
  for (const value of values) {
    if (value === null) continue
    if (value < from) from = value
    if (value > to) to = value
  }
  return from > to ? undefined : { from, to }
}

/** Where a time and a value are in a drawing. */
export interface Place {
  readonly x: (at: number) => number
  readonly y: (value: number) => number
}

/** A part of a line between its gaps, as the path of an SVG without its first `M`. `from`: where it begins, in the drawing. */
interface Trace {
  readonly from: string
  readonly path: string
}

/** `isStepped`: each value is valid until the next one, and the last one of a part until its gap. */
export const tracesOf = (
  { times, values }: ChartData,
  { x, y }: Place,
  isStepped = false,
): readonly Trace[] => {
  const traces: { from: string; path: string }[] = []
  let isOpen = false
  times.forEach((time, index) => {
    const value = values[index] ?? null
    const left = round(x(time))
    const trace = isOpen ? traces.at(-1) : undefined
    if (trace === undefined && value !== null) traces.push({ from: left, path: `${left},${round(y(value))}` })
    else if (trace !== undefined && isStepped)
      trace.path += `H${left}${value === null ? '' : `V${round(y(value))}`}`
    else if (trace !== undefined && value !== null) trace.path += `L${left},${round(y(value))}`
    isOpen = value !== null
  })
  return traces
}

/** A value alone is a dot. */
export const lineOf = (traces: readonly Trace[]): string =>
  traces.map(({ path }) => `M${path}${/[HL]/.test(path) ? '' : 'h0'}`).join('')

export const areaOf = (traces: readonly Trace[], height: number): string =>
  traces.map(({ from, path }) => `M${from},${round(height)}L${path}V${round(height)}Z`).join('')

export const round = (value: number): string => String(Math.round(value * 10) / 10)
