import type { GapCause, PastEvent } from '../../../base/domain/past.js'

/** A time of a topic without prices. */
export interface MissingTime {
  /** In ms since the Unix epoch. */
  readonly from: number
  readonly to: number
  /** `silent`: no recorder has noticed an outage, but there is no price for much longer than usual. */
  readonly cause: GapCause | 'silent'
}

/** A shorter silence is usual, in ms. */
const minSilence = 60_000

/** A silence is long if it takes this many times as long as nine of ten distances of two prices. */
const longFactor = 10

/** The gaps and the long silences of a topic. Data that are not of `record` have no gaps: they do not contain why a price is missing. */
export class MissingTimes {
  /** After the first price. */
  readonly gaps: MissingTime[] = []
  private readonly silences: MissingTime[] = []
  /** How many distances of two prices are below each power of 2, but not below the next lower one. */
  private readonly distances = new Uint32Array(64)
  /** The last price, or the end of the gap after it; `Infinity` before the first price. */
  private quietSince = Infinity
  private longestMs = 0

  onEvent(event: PastEvent): void {
    if (event._tag === 'PastPrice') {
      // Prices of one time are one.
      if (event.at > this.quietSince) this.count(event.at - this.quietSince)
      this.endSilence(event.at, event.at)
    } else if (this.quietSince < Infinity) {
      const { from, to, cause } = event
      this.gaps.push({ from, to, cause })
      this.endSilence(from, to)
    }
  }

  /** The longest time without a price outside of gaps, up to the end, in ms. */
  longestSilence(end: number): number {
    return Math.max(this.longestMs, end - this.quietSince)
  }

  /** In the order of their starts. `end`: of the data, if the silence after the last price counts. */
  list(end = -Infinity): readonly MissingTime[] {
    const least = Math.max(minSilence, longFactor * this.usualDistance())
    const last = { from: this.quietSince, to: end, cause: 'silent' } as const
    const silences = [...this.silences, last].filter(({ from, to }) => to - from >= least)
    return [...this.gaps, ...silences].sort((a, b) => a.from - b.from)
  }

  private count(distance: number): void {
    const power = Math.ceil(Math.log2(Math.max(0, distance) + 1))
    this.distances[power] = (this.distances[power] ?? 0) + 1
  }

  private endSilence(at: number, quietSince: number): void {
    const length = at - this.quietSince
    this.longestMs = Math.max(this.longestMs, length)
    if (length >= minSilence) this.silences.push({ from: this.quietSince, to: at, cause: 'silent' })
    this.quietSince = quietSince
  }

  /** At least as long as nine of ten distances, and less than twice as long as necessary; `Infinity` without one. */
  private usualDistance(): number {
    let rest = 0.9 * this.distances.reduce((sum, count) => sum + count, 0)
    const power = this.distances.findIndex((count) => count > 0 && (rest -= count) <= 0)
    return power < 0 ? Infinity : 2 ** power
  }
}
