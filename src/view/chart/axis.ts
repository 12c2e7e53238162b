import { grouped } from '../format.js'

// The axes of a chart: of a report, and of the dashboard.

export interface Tick {
  readonly value: number
  readonly label: string
}

const minLabels = 3

/**
 * Multiples of 1, 2 or 5 times a power of ten: about `most` of them, at most a third more and one. If fewer than three of them have
 * room for a label, also of 2.5, at most three times as many. `hasRoom`: of a value.
 */
export const valueTicks = (
  low: number,
  high: number,
  most: number,
  hasRoom: (value: number) => boolean = () => true,
): readonly Tick[] => {
  const least = (4 / 3) * most
  for (let count = least; ; count += 1) {
    const ticks = multiples(low, high, (high - low) / count, count === least ? [1, 2, 5] : [1, 2, 2.5, 5])
    if (count > 3 * most || ticks.filter(({ value }) => hasRoom(value)).length >= minLabels) return ticks
  }
}

const multiples = (low: number, high: number, least: number, factors: readonly number[]): readonly Tick[] => {
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = factors.find((each) => each * power >= least * 0.999) ?? 10
  const step = power * factor
  const decimals = decimalsOf(step) + (factor === 2.5 ? 1 : 0)
  const first = Math.ceil(low / step - 1e-9)
  const count = Math.max(0, Math.floor(high / step + 1e-9) - first + 1)
  return Array.from({ length: count }, (_, index) => {
    const value = (first + index) * step
    return { value, label: valueText(value, step, decimals) }
  })
}

/** A value with the digits of its step; in scientific notation if it is very large or very small. */
const valueText = (value: number, step: number, decimals: number): string =>
  Math.abs(value) < 1e9 && decimals <= 9
    ? grouped(value.toFixed(Math.max(0, decimals)))
    : value.toExponential(Math.max(0, decimals - decimalsOf(Math.abs(value) || step))).replace('+', '')

/** Of a number such as 0.02, which has 2; of 200 it is -2. */
const decimalsOf = (value: number): number => -Math.floor(Math.log10(value) + 1e-9)

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const timeSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 4, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 5, 10].map((days) => days * day),
]

/** The least step of the clock that an interval has at most `most` of; undefined if it is longer. All in ms. */
export const timeStep = (spanMs: number, most: number): number | undefined =>
  timeSteps.find((step) => spanMs / step <= most)

/** In ms since the Unix epoch. */
const maxDate = 8.64e15

/** At most `most` round times of an interval, in ms since the Unix epoch. `offset`: of the clock from UTC, in ms. */
export const timeTicks = (from: number, to: number, most: number, offset = 0): readonly Tick[] => {
  if (!(from >= 0 && to <= maxDate)) return []
  const step = timeStep(to - from, most)
  if (step === undefined) return monthTicks(from, to, most)
  const first = Math.ceil((from + offset) / step)
  const count = Math.max(0, Math.floor((to + offset) / step) - first + 1)
  return Array.from({ length: count }, (_, index) => {
    const local = (first + index) * step
    const text = new Date(local).toISOString()
    const date = text.slice(5, 10)
    const time = text.slice(11, step >= minute ? 16 : step >= second ? 19 : 23)
    const label = local % day === 0 ? date : to - from > day ? `${date} ${time}` : time
    return { value: local - offset, label }
  })
}

const monthTicks = (from: number, to: number, most: number): readonly Tick[] => {
  const start = new Date(from)
  const months = Math.max(1, Math.ceil((to - from) / (30 * day) / most))
  const step = [1, 2, 3, 6].find((each) => each >= months) ?? 12 * Math.ceil(months / 12)
  const firstMonth = Math.ceil((12 * start.getUTCFullYear() + start.getUTCMonth() + 1) / step) * step
  const ticks: Tick[] = []
  for (let month = firstMonth; ; month += step) {
    const value = Date.UTC(Math.floor(month / 12), month % 12)
    if (!(value <= to)) return ticks
    ticks.push({ value, label: new Date(value).toISOString().slice(0, 7) })
  }
}
