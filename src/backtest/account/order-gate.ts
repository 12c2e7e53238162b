import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Subscriber } from 'rxjs'
import { afterReading } from '../../base/time/timers.js'
import { rxClock } from '../../base/time/clock.js'
import { timeOfEvent } from '../../base/time/event-time.js'
import type { PaperEvent } from './events.js'
import type { Order } from './orders.js'

/** Without an event for this time, the event loop may have been blocked, in ms. */
const longestSilence = 750

/** Without a client that holds prices, the time between the receipt of a value and its delivery is shorter, in ms. */
const maxDelay = 500

/** A value whose `receivedAt` is earlier than this has a time of another clock, for example a fixed one of a test, in ms. */
const longestDelay = 86_400_000

/** An event of a price or a depth. */
export type MarketEvent = Either<unknown, { readonly receivedAt: number }>

/**
 * Passes on the orders of a strategy, in their order. After a blocked event loop or a stopped process, Node runs timers
 * before it reads what has arrived: an order that a timer decides is then decided when that is read, so that none of it fills
 * the order. In virtual time nothing waits.
 */
export class OrderGate {
  /** Set while an event is emitted: an order that it causes belongs to this event. */
  private isReading = false
  /** When that event was received, in ms since the Unix epoch; `-Infinity` for a `Left` of a replay in real time. */
  private receivedAt = -Infinity
  /** True if the value that is emitted arrived later than its `receivedAt`, because the client held it. */
  isLate = false
  /** When the last event arrived. Monotonic, in ms. */
  private readAt = rxClock.elapsed()
  private held: Order[] = []

  constructor(
    private readonly run: Subscriber<PaperEvent>,
    private readonly wallClock: () => number,
    private readonly pass: (order: Order, decidedAt: number, isInformed: boolean) => void,
  ) {}

  /** To be called before an event is emitted. */
  begin(event: MarketEvent): void {
    const now = this.wallClock()
    this.receivedAt = isRight(event) ? event.right.receivedAt : timeOfEvent(event, now)
    const delay = now - this.receivedAt
    this.isLate = delay > maxDelay && delay < longestDelay
    // An order that a late value causes is decided later than its data time.
    this.isReading = !this.isLate
    if (!rxClock.isVirtual) this.readAt = rxClock.elapsed()
  }

  end(): void {
    this.isReading = false
  }

  onOrder(order: Order): void {
    const isInformed = this.isReading || rxClock.isVirtual
    const isSilent = rxClock.elapsed() - this.readAt > longestSilence
    const decidedAt = this.isReading ? this.receivedAt : this.wallClock()
    if (this.held.length === 0 && (isInformed || !isSilent)) return this.pass(order, decidedAt, isInformed)
    this.held.push(order)
    if (this.held.length > 1) return
    const release = (): void => {
      for (const each of this.held.splice(0)) this.pass(each, this.wallClock(), false)
    }
    this.run.add(afterReading(rxClock, () => this.readAt, release))
  }
}
