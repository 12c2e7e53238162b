/** Number of complete seconds of which the rate is the mean. */
const seconds = 10

/** The number of prices a second, over the last 10 complete seconds. */
export class PriceRate {
  /** The number of prices of each second, by the second modulo the length; the current second has one of its own. */
  readonly #counts = new Array<number>(seconds + 1).fill(0)
  #first: number | undefined
  #last = 0

  /** Counts a price. `at`: in ms since the Unix epoch. A time before the last one counts as that. */
  add(at: number): void {
    this.#advance(at)
    this.#first ??= this.#last
    const slot = this.#last % this.#counts.length
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1
  }

  /** `undefined` within the second of the first price. `now`: in ms since the Unix epoch. */
  perSecond(now: number): number | undefined {
    this.#advance(now)
    if (this.#first === undefined || this.#first === this.#last) return undefined
    const current = this.#counts[this.#last % this.#counts.length] ?? 0
    const sum = this.#counts.reduce((total, count) => total + count, 0)
    return (sum - current) / Math.min(seconds, this.#last - this.#first)
  }

  /** Removes the seconds that are no longer among the last ones. */
  #advance(at: number): void {
    const second = Math.max(this.#last, Math.floor(at / 1000))
    const passed = Math.min(second - this.#last, this.#counts.length)
    for (let index = 1; index <= passed; index += 1) {
      this.#counts[(second - passed + index) % this.#counts.length] = 0
    }
    this.#last = second
  }
}
