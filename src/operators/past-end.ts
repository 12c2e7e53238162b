import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { Gap, PastEvent } from '../base/domain/past.js'
import type { PricePosition } from '../base/domain/position.js'
import type { Price } from '../base/domain/price.js'
import type { HistoryError } from '../base/errors/model.js'
import { rxClock } from '../base/time/rx-clock.js'

type Event = Either<HistoryError, PastEvent>

/** A live price is compared with past prices from this time before the subscription on, in ms. */
const comparedTime = 60_000

/** At least this number of past prices, the last ones, are known by their positions. */
const knownPrices = 5_000

/**
 * What a past has delivered so far. It may be read again from its end: an event that it repeats is not new. All times are in
 * ms since the Unix epoch.
 */
export class PastEnd {
  hasFailed = false
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
  /** The last count of each run in the current reading. */
  private readonly readCounts = new Map<string, number>()
  /** The runs whose positions contradict their prices: they identify no price. */
  private readonly endedRuns = new Set<string>()
  /** The last prices by their positions, and those before them. */
  private known = new Map<string, number>()
  private knownBefore = new Map<string, number>()
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
    this.readCounts.clear()
    return from
  }

  /** Adds an event of the past. Returns the events that are new. `given`: the position of a price, if the recorder has stored it. */
  pass(event: Event, given: PricePosition | undefined): readonly Event[] {
    if (isLeft(event)) {
      this.hasFailed = true
      return [...this.takeGap(), event]
    }
    const { right: added } = event
    const position = added._tag === 'PastPrice' ? this.trusted(added.price, given) : undefined
    if (added._tag === 'PastPrice' && this.takeDelivered(added.at, position)) return []
    const before = this.takeGap()
    this.last = added
    if (added._tag === 'PastPrice') this.addTrusted(added.at, added.price, position)
    else if (this.isEndless) {
      this.gap = added
      return before
    }
    return [...before, event]
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

  /** Whether the past reaches a position. `undefined` if it has no price of this run, or the run has ended. */
  reaches(position: PricePosition | undefined): boolean | undefined {
    const last = position && this.counts.get(position.run)
    return position === undefined || last === undefined ? undefined : position.count <= last
  }

  /** True if no price is missing between the past and the price after a position: the past has one of both. */
  isContinuedAfter(position: PricePosition | undefined): boolean {
    if (position === undefined || this.endedRuns.has(position.run)) return false
    const { run, count } = position
    return this.priceAt(position) !== undefined || this.priceAt({ run, count: count + 1 }) !== undefined
  }

  /** True if a past price, without its position, has the same value and time as a live price. */
  isEqual({ price, receivedAt }: Partial<Price>): boolean {
    return this.compared.has(`${receivedAt} ${price}`)
  }

  /**
   * True if the past has a live price: by its position, or without a common run by its value and time. A past price with a
   * position is the same as one live price only: positions that are wrong leave no more prices out.
   */
  take(live: Partial<Price>, position: PricePosition | undefined): boolean {
    if (position === undefined || this.reaches(position) === undefined) return this.isEqual(live)
    return this.takeKnown(live.price, position)
  }

  /** True if live prices of a time are later than the past. */
  isBefore(receivedAt: number | undefined): boolean {
    return receivedAt === undefined || this.lastAt === undefined || receivedAt > this.lastAt
  }

  /** A position is not used if it contradicts those before it. Another recorder may have stored the same price too. */
  private trusted(price: number, position: PricePosition | undefined): PricePosition | undefined {
    if (position === undefined || this.endedRuns.has(position.run)) return undefined
    const { run, count } = position
    if (count > (this.readCounts.get(run) ?? -1)) this.readCounts.set(run, count)
    else if (!this.takeKnown(price, position)) {
      this.endedRuns.add(run)
      this.counts.delete(run)
      return undefined
    }
    return position
  }

  private addTrusted(at: number, price: number, position: PricePosition | undefined): void {
    this.count = at === this.lastAt ? this.count + 1 : 1
    this.lastAt = at
    if (at >= this.comparedFrom) this.compared.add(`${at} ${price}`)
    if (position === undefined) return
    const { run, count } = position
    this.counts.set(run, Math.max(count, this.counts.get(run) ?? 0))
    if (this.known.size >= knownPrices) {
      this.knownBefore = this.known
      this.known = new Map()
    }
    this.known.set(keyOf(position), price)
  }

  private priceAt(position: PricePosition): number | undefined {
    const key = keyOf(position)
    return this.known.get(key) ?? this.knownBefore.get(key)
  }

  private takeKnown(price: number | undefined, position: PricePosition): boolean {
    if (price === undefined || this.priceAt(position) !== price) return false
    const key = keyOf(position)
    return this.known.delete(key) || this.knownBefore.delete(key)
  }

  /** True if the past has delivered the price before. Without a position, a repeated price counts once. */
  private takeDelivered(at: number, position: PricePosition | undefined): boolean {
    return this.reaches(position) ?? (position === undefined && at === this.lastAt && this.repeated-- > 0)
  }

  private takeGap(): readonly Event[] {
    const { gap } = this
    this.gap = undefined
    return gap === undefined ? [] : [right(gap)]
  }
}

const keyOf = ({ run, count }: PricePosition): string => `${run} ${count}`
