import type { ChartData, Span } from './chart/chart-data.js'

/** Time that the samples of each second take, and those of each minute, in ms. */
export const [second, minute, hour] = [1000, 60_000, 3_600_000]
export const [recentWindow, dayWindow] = [5 * minute, 24 * hour]

/** What a page shows at once, in ms: `all` is as much as there is, at most a day. */
export const ranges = { '1m': minute, '5m': recentWindow, '1h': hour, all: dayWindow } as const
export type Range = keyof typeof ranges

/** What a range of samples shows until `now`: it begins with its first price, but is at least a minute long. */
export const timesOf = ({ times: [first = Infinity] }: ChartData, now: number, rangeMs: number): Span => {
  return { from: Math.max(now - rangeMs, Math.min(now - minute, first)), to: now }
}

/** The prices of the last 5 minutes, then those of the last day. */
export type PastPrices = readonly [recent: ChartData, day: ChartData]

/** The prices of one token: four of each second for 5 minutes, and of each minute for a day. */
export class PriceSamples {
  readonly #recent = new ChartSamples(recentWindow, second)
  readonly #day = new ChartSamples(dayWindow, minute)

  /** Adds a current price. `at`: in ms since the Unix epoch. An earlier time than the last one is replaced by that. */
  add(at: number, price: number): void {
    this.#recent.add(at, price)
    this.#day.add(at, price)
  }

  /** Ends the time of the last price: it is no longer current. */
  interrupt(at: number): void {
    this.#recent.interrupt(at)
    this.#day.interrupt(at)
  }

  /** Replaces the samples of the time that the past covers. None of its prices is current. */
  fill([recent, day]: PastPrices): void {
    this.#recent.fill(recent)
    this.#day.fill(day)
  }

  /** The samples of the last 5 minutes, or of a longer time, until `now`; the last price extends to it while it is current. */
  data(now: number, rangeMs: number): ChartData {
    return (rangeMs > recentWindow ? this.#day : this.#recent).data(now)
  }

  past(now: number): PastPrices {
    return [this.#recent.past(now), this.#day.past(now)]
  }
}

/** Time between the end of a past and the next price that is no gap, in ms: the time in which a page is opened. */
const maxSeam = 2_000

/** True if there is no gap between the end of a past and the next price. */
export const isSeam = (end: number, next: number): boolean => next - end <= maxSeam

const perSlot = 4

/**
 * Prices of a window of time. Keeps the first, the lowest, the highest and the last of each slot of time, so that the size does
 * not depend on the rate of updates. A price is valid until the next price, or until `interrupt`.
 */
export class ChartSamples {
  readonly #times: number[] = []
  readonly #values: (number | null)[] = []
  /** The last price of a past, until the next own price; `null` without one. */
  #pastPrice: number | null = null

  /** In ms. */
  constructor(
    private readonly windowMs: number,
    private readonly slotMs: number,
  ) {}

  add(at: number, price: number): void {
    const before = this.#times.at(-1) ?? 0
    const time = Math.max(at, before)
    if (this.#pastPrice !== null && isSeam(before, time)) this.#values.splice(-1, 1, this.#pastPrice)
    this.#pastPrice = null
    this.#append(time, price)
    const first = this.#startOfSlot(time)
    // A past may have more of them than one too many.
    while (this.#times.length - first > perSlot) this.#remove(this.#needless(first), 1)
  }

  interrupt(at: number): void {
    const last = this.#values.at(-1) ?? null
    if (last === null) return
    const time = Math.max(at, this.#times.at(-1) ?? 0)
    // The line ends here, not at the time of the last price.
    this.#append(time, last)
    this.#append(time + 1, null)
  }

  /**
   * If no own price held at the end of the past, there is a gap until the next own one, unless that follows soon. The last own
   * price stays the last one: the past may have been read before it arrived.
   */
  fill({ times, values }: ChartData): void {
    const [first, last] = [times[0], times.at(-1)]
    if (first === undefined || last === undefined) return
    const start = this.#count((time) => time < first)
    const end = this.#count((time) => time <= last)
    const held = this.#values[end - 1] ?? null
    this.#times.splice(start, end - start, ...times)
    this.#values.splice(start, end - start, ...values)
    const next = this.#times[start + times.length]
    const index = start + times.length - 1
    if (held !== null && next === undefined) this.#values[index] = held
    else if (held === null && !(next !== undefined && isSeam(last, next))) {
      if (next === undefined) this.#pastPrice = this.#values[index] ?? null
      this.#values[index] = null
    }
    this.#removeBefore((this.#times.at(-1) ?? 0) - this.windowMs)
  }

  data(now: number): ChartData {
    const end = Math.max(now, this.#times.at(-1) ?? 0)
    this.#removeBefore(end - this.windowMs)
    const last = this.#values.at(-1)
    return last === undefined
      ? { times: [], values: [] }
      : { times: [...this.#times, end], values: [...this.#values, last] }
  }

  /** Like `data`, but a past without an own price after it ends with its last price: a gap may follow, or not. */
  past(now: number): ChartData {
    if (this.#pastPrice === null) return this.data(now)
    return { times: [...this.#times], values: [...this.#values.slice(0, -1), this.#pastPrice] }
  }

  /** The number of samples at the start that hold a condition. */
  #count(holds: (time: number) => boolean): number {
    return this.#times.findLastIndex(holds) + 1
  }

  /** The first of the last samples that are in the slot of a time, without a gap between. */
  #startOfSlot(time: number): number {
    const slot = Math.floor(time / this.slotMs)
    let index = this.#times.length - 1
    while (
      (this.#values[index - 1] ?? null) !== null &&
      Math.floor((this.#times[index - 1] ?? 0) / this.slotMs) === slot
    )
      index -= 1
    return index
  }

  /** A sample between the first and the last one that is neither the lowest nor the highest. */
  #needless(first: number): number {
    const prices = this.#values.slice(first).map(Number)
    const kept = [Math.min(...prices), Math.max(...prices)].map((price) => prices.indexOf(price))
    return first + ([1, 2, 3].find((index) => !kept.includes(index)) ?? 1)
  }

  #append(time: number, price: number | null): void {
    this.#times.push(time)
    this.#values.push(price)
    this.#removeBefore(time - this.windowMs)
  }

  /** Keeps one sample before the time: it holds until the next one. */
  #removeBefore(time: number): void {
    let count = 0
    while (count + 1 < this.#times.length && (this.#times[count + 1] ?? 0) <= time) count += 1
    if (count > 0) this.#remove(0, count)
  }

  #remove(start: number, count: number): void {
    this.#times.splice(start, count)
    this.#values.splice(start, count)
  }
}
