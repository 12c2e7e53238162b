import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { Gap, PastEvent } from '../base/domain/past.js'
import type { PricePosition } from '../base/domain/position.js'
import type { Price } from '../base/domain/price.js'
import type { HistoryError } from '../base/errors/model.js'
import { rxClock } from '../base/time/rx-clock.js'

type Event = Either<HistoryError, PastEvent>

/** A live price is compared with past prices from this time before the subscription on, in ms. */
const comparedTime = 60_000

/**
 * What a past has delivered so far. It may be read again from its end: an event that it repeats is not new. All times are in
 * ms since the Unix epoch.
 */
export class PastEnd {
  hasFailed = false
  /** Of the last price. */
  position: PricePosition | undefined
  private last: PastEvent | undefined
  /** The last event, if it is a gap that is not emitted yet: the next reading tells when it ends. */
  private gap: Gap | undefined
  private lastAt: number | undefined
  /** Number of prices at `lastAt`. */
  private count = 0
  /** Number of prices at `lastAt` that the current reading repeats. */
  private repeated = 0
  /** The highest count of each run. */
  private readonly counts = new Map<string, number>()
  /** The last prices with their times. */
  private readonly compared = new Set<string>()
  private readonly comparedFrom = rxClock.wallClock() - comparedTime

  /** `isEndless`: the past may be read again. */
  constructor(private readonly isEndless: boolean) {}

  /** Returns the time from which the past is read. Prices of this millisecond may follow. */
  startReading(): number | undefined {
    const from = this.gap?.from ?? this.lastAt
    this.gap = undefined
    this.repeated = this.count
    return from
  }

  /** Adds an event of the past. Returns the events that are new. `position`: of a price, if the recorder has stored it. */
  pass(event: Event, position: PricePosition | undefined): readonly Event[] {
    if (isLeft(event)) {
      this.hasFailed = true
      return [...this.takeGap(), event]
    }
    const { right: added } = event
    if (added._tag === 'Gap') {
      const before = this.takeGap()
      this.last = added
      if (!this.isEndless) return [event]
      this.gap = added
      return before
    }
    if (this.isRepeated(added.at, position)) return []
    const { at, price } = added
    this.last = added
    this.count = at === this.lastAt ? this.count + 1 : 1
    this.lastAt = at
    this.position = position
    if (position !== undefined) this.counts.set(position.run, position.count)
    if (at >= this.comparedFrom) this.compared.add(`${at} ${price}`)
    return [...this.takeGap(), event]
  }

  /**
   * The last event, if it is not emitted yet. `liveFrom`: the time of the first live event, if prices may be missing before
   * it, which a gap then says.
   */
  finish(liveFrom: number | undefined): readonly Event[] {
    const { last } = this
    if (liveFrom === undefined || last?._tag !== 'PastPrice') return this.takeGap()
    const { topic, at: from } = last
    return [right({ _tag: 'Gap', topic, from, to: Math.max(from + 1, liveFrom), cause: 'unrecorded' })]
  }

  /** Whether the past reaches a position. `undefined` if it has no price of this run. */
  reaches(position: PricePosition | undefined): boolean | undefined {
    const last = position && this.counts.get(position.run)
    return position === undefined || last === undefined ? undefined : position.count <= last
  }

  /** True if the past has a live price: by its position, or without a common run by its value and time. */
  has({ price, receivedAt }: Partial<Price>, position: PricePosition | undefined): boolean {
    return this.reaches(position) ?? this.compared.has(`${receivedAt} ${price}`)
  }

  /** True if live prices of a time are later than the past. */
  isBefore(receivedAt: number | undefined): boolean {
    return receivedAt === undefined || this.lastAt === undefined || receivedAt > this.lastAt
  }

  /** True if the past has delivered the price before. Without a position, a price of the last reading counts once. */
  private isRepeated(at: number, position: PricePosition | undefined): boolean {
    return this.reaches(position) ?? (position === undefined && at === this.lastAt && this.repeated-- > 0)
  }

  private takeGap(): readonly Event[] {
    const { gap } = this
    this.gap = undefined
    return gap === undefined ? [] : [right(gap)]
  }
}
