import { digitGroups, shortPrice, withNarrowSpaces, withoutSeparators } from '../../display/texts.js'

export interface ChartData {
  /** In ms since the Unix epoch. */
  readonly times: readonly number[]
  /** The price from each time on, in USD; `null` if there is none that is current. */
  readonly prices: readonly (number | null)[]
}

export interface ChartRange {
  readonly low: number
  readonly high: number
}

/** Time that a chart shows, and time of one of its samples, in ms. */
export const [chartWindow, chartSlot] = [300_000, 500]

/**
 * The prices of one token over the last minutes, for its chart. Keeps the last price of each slot of time, so that its
 * size does not depend on the rate of updates. A price is valid until the next price, or until `interrupt`.
 */
export class ChartSamples {
  readonly #windowMs: number
  readonly #slotMs: number
  readonly #times: number[] = []
  readonly #prices: (number | null)[] = []

  /** In ms. */
  constructor(windowMs: number, slotMs: number) {
    this.#windowMs = windowMs
    this.#slotMs = slotMs
  }

  /**
   * Adds a current price. `at`: in ms since the Unix epoch. An earlier time than the last one is replaced by the last
   * one.
   */
  add(at: number, price: number): void {
    const last = this.#times.length - 1
    const time = Math.max(at, this.#times[last] ?? 0)
    if (!this.#isSameSlot(time)) this.#append(time, price)
    else [this.#times[last], this.#prices[last]] = [time, price]
  }

  /** Ends the time of the last price: it is no longer current. */
  interrupt(at: number): void {
    const last = this.#prices.at(-1) ?? null
    if (last === null) return
    const time = Math.max(at, this.#times.at(-1) ?? 0)
    // The line ends here, not at the time of the last price.
    this.#append(time, last)
    this.#append(time + 1, null)
  }

  /** Adds samples from before the first price. If they end before the first price, there is a gap between. */
  addPast({ times, prices }: ChartData): void {
    const first = this.#times[0] ?? Infinity
    const count = times.filter((time) => time < first).length
    this.#times.unshift(...times.slice(0, count))
    this.#prices.unshift(...prices.slice(0, count))
    if (count === times.length && count > 0) this.#prices[count - 1] = null
    this.#removeBefore((this.#times.at(-1) ?? 0) - this.#windowMs)
  }

  /** The samples until `now`, in ms. The last price extends to it while it is current. */
  data(now: number): ChartData {
    const end = Math.max(now, this.#times.at(-1) ?? 0)
    this.#removeBefore(end - this.#windowMs)
    const last = this.#prices.at(-1)
    return last === undefined
      ? { times: [], prices: [] }
      : { times: [...this.#times, end], prices: [...this.#prices, last] }
  }

  range(): ChartRange | undefined {
    let [low, high] = [Infinity, -Infinity]
    for (const price of this.#prices) {
      if (price === null) continue
      if (price < low) low = price
      if (price > high) high = price
    }
    return low > high ? undefined : { low, high }
  }

  /** The earliest price; undefined without a price. */
  firstPrice(): number | undefined {
    return this.#prices.find((price) => price !== null) ?? undefined
  }

  /** The time that the samples span, in ms. */
  spanMs(now: number): number {
    return Math.max(0, now - (this.#times[0] ?? now))
  }

  #isSameSlot(time: number): boolean {
    const last = this.#times.at(-1)
    const isCurrent = (this.#prices.at(-1) ?? null) !== null
    return last !== undefined && isCurrent && slotOf(last, this.#slotMs) === slotOf(time, this.#slotMs)
  }

  #append(time: number, price: number | null): void {
    this.#times.push(time)
    this.#prices.push(price)
    this.#removeBefore(time - this.#windowMs)
  }

  /** Keeps one sample before the time: it holds until the next one. */
  #removeBefore(time: number): void {
    let count = 0
    while (count + 1 < this.#times.length && (this.#times[count + 1] ?? 0) <= time) count += 1
    if (count === 0) return
    this.#times.splice(0, count)
    this.#prices.splice(0, count)
  }
}

/** The index of the sample that is valid at a time; before the first sample, the index of the first one. */
export const indexAt = ({ times }: ChartData, time: number): number => {
  // The last sample is the end of the one before.
  const next = times.slice(0, -1).findLastIndex((each) => each <= time)
  return Math.max(0, next)
}

const slotOf = (time: number, slotMs: number): number => Math.floor(time / slotMs)

/** The part of an axis that a chart shows. Times are in ms since the Unix epoch, prices in USD. */
export interface Scale {
  readonly from: number
  readonly to: number
}

/** The least and the largest width of a chart, in ms. */
const [minWidth, maxWidth] = [1_000, 300_000]

/** The line takes the whole width. `spanMs`: the time that the samples take. */
export const timeScale = (now: number, spanMs: number): Scale => ({
  from: now - Math.min(maxWidth, Math.max(minWidth, spanMs)),
  to: now,
})

/** The least height of a chart, as a share of the price: a very small move must not look like a large one. */
const minHeight = 0.0002

/** The prices of a chart, with a margin. */
export const priceScale = ({ low, high }: ChartRange): Scale => {
  const half = Math.max(high - low, high * minHeight) * 0.6
  const middle = low + (high - low) / 2
  return { from: middle - half, to: middle + half }
}

interface Ticks {
  readonly step: number
  readonly values: readonly number[]
}

/** Marks at multiples of 1, 2 or 5 times a power of ten, at most `maxCount` of them. */
export const priceTicks = ({ from, to }: Scale, maxCount: number): Ticks => {
  const rough = (to - from) / maxCount
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  return ticksOf({ from, to }, step)
}

const timeSteps = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000] as const

/** Marks at multiples of a step of the clock, at most `maxCount` of them. */
export const timeTicks = (scale: Scale, maxCount: number): Ticks =>
  ticksOf(scale, timeSteps.find((step) => (scale.to - scale.from) / step <= maxCount) ?? maxWidth)

const ticksOf = ({ from, to }: Scale, step: number): Ticks => {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return { step, values: Array.from({ length: count }, (_, index) => (first + index) * step) }
}

/** A time without a current price. */
interface Gap {
  readonly from: number
  readonly to: number
}

/** The gaps of the samples; one that lasts until the last time ends there. */
export const gapsOf = (times: readonly number[], prices: readonly (number | null)[]): readonly Gap[] =>
  prices.flatMap((price, index) => {
    const from = times[index]
    const to = times[index + 1]
    return price === null && from !== undefined && to !== undefined && to > from ? [{ from, to }] : []
  })

/** Text of the price axis, with the digits of its steps. */
export const priceTickText = (price: number, step: number): string => {
  const decimals = decimalsOf(step)
  return Math.abs(price) < 1e9 && decimals <= 9
    ? withNarrowSpaces(digitGroups(price.toFixed(Math.max(0, decimals))))
    : price.toExponential(Math.max(0, decimals - decimalsOf(Math.abs(price) || step))).replace('+', '')
}

/** Of a number such as 0.02, which has 2; of 200 it is -2. */
const decimalsOf = (value: number): number => -Math.floor(Math.log10(value) + 1e-9)

/** Describes a chart to a screen reader. */
export const chartLabel = (range: ChartRange | undefined): string =>
  range === undefined
    ? 'Chart without prices'
    : `Chart: lowest ${withoutSeparators(shortPrice(range.low))}, highest ${withoutSeparators(shortPrice(range.high))} USD`
