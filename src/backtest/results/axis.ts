import { formatNumber } from './format.js'

// The marks of the axes of a chart.

export interface Tick {
  readonly value: number
  readonly label: string
}

/** Round values of an interval, at most `most` and one. `scale`: of the label, 100 for per cent. */
export const valueTicks = (
  low: number,
  high: number,
  most: number,
  scale = 1,
  unit = '',
): readonly Tick[] => {
  const step = roundStep(((high - low) * scale) / most)
  const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
  const first = Math.ceil((low * scale) / step - 1e-9)
  const last = Math.floor((high * scale) / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const value = (first + index) * step
    return { value: value / scale, label: formatNumber(value, digits) + unit }
  })
}

/** The next of 1, 2 and 5 times a power of 10. */
const roundStep = (least: number): number => {
  const power = 10 ** Math.floor(Math.log10(least))
  return power * ([1, 2, 5].find((each) => each * power >= least * 0.999) ?? 10)
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const timeSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 4, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 5, 10].map((days) => days * day),
]

const maxTimes = 6

/** In ms since the Unix epoch. */
const maxDate = 8.64e15

/** At most six round times of an interval, in UTC. */
export const timeTicks = (from: number, to: number): readonly Tick[] => {
  if (!(from >= 0 && to <= maxDate)) return []
  const step = timeSteps.find((each) => (to - from) / each <= maxTimes)
  return step === undefined ? monthTicks(from, to) : multiples(from, to, step)
}

const multiples = (from: number, to: number, step: number): readonly Tick[] => {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return Array.from({ length: count }, (_, index) => {
    const value = (first + index) * step
    const text = new Date(value).toISOString()
    const date = text.slice(5, 10)
    const time = text.slice(11, step >= minute ? 16 : step >= second ? 19 : 23)
    if (value % day === 0) return { value, label: date }
    return { value, label: to - from > day ? `${date} ${time}` : time }
  })
}

const monthTicks = (from: number, to: number): readonly Tick[] => {
  const start = new Date(from)
  const months = Math.max(1, Math.ceil((to - from) / (30 * day) / maxTimes))
  const step = [1, 2, 3, 6].find((each) => each >= months) ?? 12 * Math.ceil(months / 12)
  const firstMonth = Math.ceil((12 * start.getUTCFullYear() + start.getUTCMonth() + 1) / step) * step
  const ticks: Tick[] = []
  for (let month = firstMonth; ; month += step) {
    const value = Date.UTC(Math.floor(month / 12), month % 12)
    if (!(value <= to)) return ticks
    ticks.push({ value, label: new Date(value).toISOString().slice(0, 7) })
  }
}
