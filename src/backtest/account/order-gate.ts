import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { forkJoin, Subscription, take, type Observable, type Subscriber } from 'rxjs'
import { afterReading } from '../../base/time/deadline.js'
import { responsiveDeadline } from '../../base/time/responsive-deadlines.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { detectionTime } from '../../operators/responsive-delay.js'
import type { PaperEvent } from './events.js'
import type { Order } from './orders.js'

/** Without an event for this number of depth intervals, the event loop may have been blocked. */
const silentIntervals = 1.5

/** Limits of that time, in ms. */
const [shortestSilence, longestSilence] = [750, 3_000]

/** Without a client that holds prices, the time between the receipt of a value and its delivery is shorter, in ms. */
const maxDelay = 500

/** A value whose `receivedAt` is earlier than this has a time of another clock, for example a fixed one of a test, in ms. */
const longestDelay = 86_400_000

/** An event of a price or a depth. */
export type MarketEvent = Either<unknown, { readonly receivedAt: number }>

/**
 * Passes on the orders of a strategy, in their order. After a blocked event loop or a stopped process, Node runs timers
 * before it reads what has arrived: an order that a timer decides then waits until the prices of the account are read,
 * or known to be current. In virtual time nothing waits.
 */
export class OrderGate {
  /** Set while an event is emitted: an order that it causes belongs to this event. */
  isReading = false
  /** True if the value that is emitted arrived later than its `receivedAt`, because the client held it. */
  isLate = false
  /** When the last event arrived. Monotonic, in ms. */
  private readAt = rxClock.elapsed()
  private held: (readonly [order: Order, decidedAt: number | undefined])[] = []
  private readonly maxSilence: number

  constructor(
    private readonly run: Subscriber<PaperEvent>,
    depthInterval: number,
    /** False if the last prices may be older than the `maxLag` of the client. */
    private readonly isUpToDate: () => boolean,
    /** `decidedAt`: undefined for an order that an event causes. */
    private readonly pass: (order: Order, decidedAt: number | undefined) => void,
    /** The streams whose last event is a price. A late subscriber receives that price once it is known to be current. */
    private readonly currentPrices: () => readonly Observable<unknown>[],
  ) {
    this.maxSilence = Math.min(Math.max(silentIntervals * depthInterval, shortestSilence), longestSilence)
  }

  onEvent(event: MarketEvent): void {
    const delay = isRight(event) ? rxClock.wallClock() - event.right.receivedAt : 0
    this.isLate = delay > maxDelay && delay < longestDelay
    // An order that a late value causes is decided later than its data time.
    this.isReading = !this.isLate
    if (!rxClock.isVirtual) this.readAt = rxClock.elapsed()
  }

  onOrder(order: Order): void {
    const decidedAt = this.isReading ? undefined : rxClock.wallClock()
    if (this.held.length === 0 && (this.isReading || !this.mayBeLate)) return this.pass(order, decidedAt)
    this.held.push([order, decidedAt])
    if (this.held.length > 1) return
    const waiting = new Subscription()
    this.run.add(waiting)
    waiting.add(
      afterReading(
        rxClock,
        () => this.readAt,
        () => this.awaitPrices(waiting),
      ),
    )
  }

  private get mayBeLate(): boolean {
    if (rxClock.isVirtual) return false
    return rxClock.elapsed() - this.readAt > this.maxSilence || !this.isUpToDate()
  }

  private awaitPrices(waiting: Subscription): void {
    const release = (): void => {
      waiting.unsubscribe()
      const { held } = this
      this.held = []
      for (const [order, decidedAt] of held) this.pass(order, decidedAt)
    }
    const events = this.currentPrices().map((event$) => event$.pipe(take(1)))
    if (events.length === 0) return release()
    // A client that does not repeat its last price emits a `Left` in this time, if that price is not current.
    waiting.add(responsiveDeadline(rxClock, detectionTime, release))
    // Without a value if the client is closed meanwhile. An Rx error of the client ends the run.
    waiting.add(forkJoin(events).subscribe({ next: release, error: () => undefined }))
  }
}
