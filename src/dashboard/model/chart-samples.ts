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
 * size does not depend on the rate of updates. A price holds until the next one, or until `interrupt`.
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

  /** Adds a current price. `at`: in ms since the Unix epoch. A time before the last one counts as that. */
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

  /**
   * Adds what is known of the time before the first price: samples until an earlier time. If the first price comes later, there
   * is a gap between.
   */
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

/** The sample of the data that holds at a time: its index; that of the first one before that. */
export const indexAt = ({ times }: ChartData, time: number): number => {
  // The last sample is the end of the one before.
  const next = times.slice(0, -1).findLastIndex((each) => each <= time)
  return Math.max(0, next)
}

const slotOf = (time: number, slotMs: number): number => Math.floor(time / slotMs)
