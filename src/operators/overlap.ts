import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { PastPrice } from '../base/domain/past.js'
import type { PricePosition } from '../base/domain/position.js'
import type { Price } from '../base/domain/price.js'
import { rxClock } from '../base/time/rx-clock.js'

/** The time after the end of the past in which a live price may still arrive that the past contains, in ms. */
const flightTime = 1_000

/** A past price, and when it was recorded, in ms since the Unix epoch. */
type RecordedPrice = Pick<PastPrice, 'price' | 'at'>

/** At most twice this number of past prices are kept. */
const maxKept = 4_096

/**
 * The prices that a past has delivered. They do not come again as live prices. Two prices are the same if they have the
 * same position. Without a common run, the last past prices are compared with the first live prices by their values: the
 * clocks of the recorder and of the client may differ.
 */
export class Overlap {
  /** The highest count of each run. */
  private readonly counts = new Map<string, number>()
  private kept: RecordedPrice[] = []
  /** Which of the kept prices may be the next live price, by their values. `undefined` before the first live price. */
  private candidates: readonly number[] | undefined
  /** The time by which the last live price that repeats a past one was received after that, by two clocks, in ms. */
  difference: number | undefined
  /** When the past ended: monotonic, in ms. */
  private endedAt: number | undefined

  add(price: RecordedPrice, position: PricePosition | undefined): void {
    if (position !== undefined) {
      const { run, count } = position
      this.counts.set(run, Math.max(count, this.counts.get(run) ?? 0))
    }
    if (this.kept.push(price) >= 2 * maxKept) this.kept = this.kept.slice(-maxKept)
  }

  /** The past has ended. */
  end(): void {
    this.endedAt = rxClock.elapsed()
  }

  /** Whether the past reaches a position. `undefined` if it has no price of this run. */
  reaches(position: PricePosition | undefined): boolean | undefined {
    const last = position && this.counts.get(position.run)
    return last === undefined || position === undefined ? undefined : position.count <= last
  }

  /** True if the last prices have this live price, by its value. True without a live price. */
  has(live: Partial<Price> | undefined): boolean {
    return (
      live === undefined ||
      this.since(live.receivedAt).some((index) => this.kept[index]?.price === live.price)
    )
  }

  /** True if a live event is a price of the past. Called for each live event, in order, after the past has ended. */
  repeats(event: Either<unknown, unknown>, position: PricePosition | undefined): boolean {
    if (isLeft(event)) {
      this.candidates = []
      return false
    }
    const { price, receivedAt } = event.right as Partial<Price>
    const index = this.repeatedIndex(price, receivedAt, position)
    if (index === undefined) return false
    const past = this.kept[index]
    if (past !== undefined && past.price === price && receivedAt !== undefined)
      this.difference = receivedAt - past.at
    return true
  }

  /** The index of the past price that a live price repeats, also if that price is not kept. */
  private repeatedIndex(
    price: number | undefined,
    receivedAt: number | undefined,
    position: PricePosition | undefined,
  ): number | undefined {
    const last = position && this.counts.get(position.run)
    if (position === undefined || last === undefined) return this.indexByValue(price, receivedAt)
    return position.count > last ? undefined : this.kept.length - 1 - (last - position.count)
  }

  /**
   * The live prices from the first one on must be an end of the past. If several ends agree, the shortest one counts: no
   * price is missing then.
   */
  private indexByValue(price: number | undefined, receivedAt: number | undefined): number | undefined {
    const { kept, endedAt = 0 } = this
    if (this.candidates?.length === 0) return undefined
    if (rxClock.elapsed() - endedAt > flightTime) this.candidates = []
    this.candidates ??= this.since(receivedAt)
    const matching = this.candidates.filter((index) => kept[index]?.price === price)
    const last = matching.at(-1)
    this.candidates = last === kept.length - 1 ? [] : matching.map((index) => index + 1)
    return last
  }

  /** The prices that may have been recorded at this time or later, by the durations on both clocks. */
  private since(receivedAt = rxClock.wallClock()): readonly number[] {
    const duration = Math.max(0, rxClock.wallClock() - receivedAt) + flightTime
    const { kept } = this
    const from = (kept.at(-1)?.at ?? 0) - duration
    return [...kept.keys()].slice(kept.findLastIndex(({ at }) => at < from) + 1)
  }
}
