import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription, type Observable, type Subscriber } from 'rxjs'
import {
  liveSourceOf,
  pastSourceOf,
  type LiveSource,
  type PastEvent,
  copyPosition,
  type PricePosition,
} from '../base/domain/past.js'
import type { Price } from '../base/domain/price.js'
import { networkError, timeout } from '../base/errors/constructors.js'
import type { HistoryError } from '../base/errors/model.js'
import { safeUnsubscribe } from '../base/task/safe-notify.js'
import { delay } from '../base/time/timers.js'
import { rxClock } from '../base/time/clock.js'
import { windowTimeOf } from './data-window.js'
import { whileOpen } from './either.js'
import { missingPrices$, type Edge, type TopicPast } from './missing-prices.js'
import { ContinuedPast, LiveStart } from './past-until-live.js'

/**
 * Receives past events, then live events. All times are in ms since the Unix epoch, and do not go back before the
 * release.
 */
export interface JoinObserver<Event> {
  readonly onPast: (event: Either<HistoryError, PastEvent>, at: number) => void
  /** Called once, before the first live event. */
  readonly onCaughtUp?: () => void
  /** `at`: the time that decides the window of the event. `isHeld`: it was held, so that no time passes. */
  readonly onLive: (event: Event, at: number, isHeld: boolean) => void
  /** Prices are missing from now on, until `onRefilled`. `event`: the `Left` that shows it. */
  readonly onInterruption: (event?: Event) => void
  /** The missing prices have been delivered by `onPast`. */
  readonly onRefilled?: () => void
  /**
   * The held events have been delivered, after `onCaughtUp` or `onRefilled`. `hasLive`: false if the live stream has not emitted
   * yet, so that nothing is known of it.
   */
  readonly onReleased?: (hasLive: boolean) => void
  readonly onComplete: () => void
}

export interface JoinConfig {
  readonly past$: Observable<Either<HistoryError, PastEvent>>
  /** The time for which live events are held until the past has ended, in ms. */
  readonly pastTimeout: number
  /** Where missing prices are read, if they are. */
  readonly refill: TopicPast | undefined
  /** The time for which live events are held until missing prices are read, in ms. */
  readonly refillTimeout: number
}

interface HeldEvent<Event> {
  readonly event: Event
  /** The time that decides its window, in ms since the Unix epoch. */
  readonly at: number
  readonly position: PricePosition | undefined
}

/** The last price that is delivered. */
interface LastPrice extends Edge {
  /** `undefined` of a past price. */
  readonly epoch: number | undefined
}

/**
 * Joins a past to live events, and missing prices to both, as `withPast` describes. `subscriber` receives the Rx errors of the
 * source.
 */
export class PastJoin<E, A> {
  private readonly source: LiveSource<Either<E, A>>
  private readonly past: ContinuedPast
  private readonly liveStart = new LiveStart()
  /** The reading of the past, or of missing prices. */
  private reading = new Subscription()
  private held: HeldEvent<Either<E, A>>[] = []
  /** The time of the last event before the release. */
  private latest = -Infinity
  private state: 'holding' | 'releasing' | 'live' = 'holding'
  private isCaughtUp = false
  private isComplete = false
  private last: LastPrice | undefined
  private isInterrupted = false

  constructor(
    private readonly config: JoinConfig,
    source$: Observable<Either<E, A>>,
    private readonly subscriber: Subscriber<unknown>,
    private readonly observer: JoinObserver<Either<E, A>>,
  ) {
    this.source = liveSourceOf(source$)
    this.past = new ContinuedPast(pastSourceOf(config.past$))
  }

  start(): Subscription {
    const { config, source, past, liveStart, reading } = this
    const { pastTimeout } = config
    const live = source
      .open$(() => liveStart.confirm(source.position()))
      .subscribe({
        next: (event) => this.onEvent(event),
        error: (thrown) => this.subscriber.error(thrown),
        complete: () => {
          this.isComplete = true
          liveStart.start()
          this.endIfComplete()
        },
      })
    reading.add(delay(rxClock, pastTimeout, () => this.fail(timeout(pastTimeout))))
    const past$ = past.until$(liveStart).pipe(whileOpen(this.subscriber))
    reading.add(
      past$.subscribe({
        next: (event) => this.onPast(event, past.position),
        error: (thrown) => this.fail(networkError(thrown)),
        complete: () => this.catchUp(),
      }),
    )
    return new Subscription(() => {
      live.unsubscribe()
      this.reading.unsubscribe()
    })
  }

  private onEvent(event: Either<E, A>): void {
    const position = this.source.position()
    if (this.isCaughtUp && this.isRepeated(event, position)) return
    const next = { event, at: windowTimeOf(event), position: position && copyPosition(position) }
    if (this.state === 'live') return this.deliver(next)
    this.held.push(next)
    if (isLeft(event)) this.liveStart.start()
    else this.liveStart.start(event.right as Partial<Price>, next.position)
  }

  /** True if the past has delivered a live price. */
  private isRepeated(event: Either<E, A>, position: PricePosition | undefined): boolean {
    return isRight(event) && this.past.has(event.right as Partial<Price>, position)
  }

  private onPast(event: Either<HistoryError, PastEvent>, position?: PricePosition): void {
    // The recorder's clock may be ahead.
    const at = isLeft(event) ? this.latest : Math.min(rxClock.wallClock(), timeOf(event.right))
    this.latest = Math.max(this.latest, at)
    if (isRight(event) && event.right._tag === 'PastPrice')
      this.last = { price: event.right.price, at: event.right.at, position, epoch: undefined }
    this.observer.onPast(event, this.latest)
  }

  private fail(error: HistoryError): void {
    this.onPast(left(error))
    this.catchUp()
  }

  private catchUp(): void {
    safeUnsubscribe(this.reading)
    const hasLive = this.held.length > 0
    this.settleHeld()
    this.isCaughtUp = true
    this.observer.onCaughtUp?.()
    this.release(hasLive)
  }

  /**
   * Held prices that the past has are dropped. Those that are no longer current, and that another event has followed, are past
   * prices.
   */
  private settleHeld(): void {
    const newest = this.held.at(-1)
    const oldest = rxClock.wallClock() - (this.source.maxLag ?? 5_000)
    this.held = this.held.filter((each) => {
      if (!this.isCaughtUp && this.isRepeated(each.event, each.position)) return false
      const price = each === newest ? undefined : priceOf(each.event)
      if (price === undefined || price.receivedAt >= oldest) return true
      const at = Math.max(this.latest, price.receivedAt)
      this.onPast(right({ _tag: 'PastPrice', topic: price.topic, price: price.price, at }), each.position)
      return false
    })
  }

  private release(hasLive: boolean): void {
    this.state = 'releasing'
    // A handler may cause further live events, which follow the held events.
    while (this.state === 'releasing' && !this.subscriber.closed) {
      const next = this.held.shift()
      if (next === undefined) this.state = 'live'
      else this.deliver({ ...next, at: Math.max(this.latest, next.at) })
    }
    this.observer.onReleased?.(hasLive)
    this.endIfComplete()
  }

  private deliver(next: HeldEvent<Either<E, A>>): void {
    const { event, at, position } = next
    const { last, observer } = this
    const isHeld = this.state === 'releasing'
    if (this.config.refill === undefined) return observer.onLive(event, at, isHeld)
    if (isLeft(event)) {
      if (last === undefined) return observer.onLive(event, at, isHeld)
      this.isInterrupted = true
      return observer.onInterruption(event)
    }
    const price = priceOf(event)
    if (price === undefined) return observer.onLive(event, at, isHeld)
    const { epoch } = price
    this.last = { price: price.price, at: price.receivedAt, position, epoch }
    const isOtherEpoch = last?.epoch !== undefined && last.epoch !== epoch
    if (last !== undefined && (this.isInterrupted || isOtherEpoch)) this.refill(last, this.last, next)
    else observer.onLive(event, at, isHeld)
  }

  /** Reads what is missing before a live price, which is held meanwhile. */
  private refill(before: Edge, after: LastPrice, next: HeldEvent<Either<E, A>>): void {
    const { refill, refillTimeout } = this.config
    if (refill === undefined) return
    if (!this.isInterrupted) this.observer.onInterruption()
    this.isInterrupted = false
    this.latest = Math.max(this.latest, before.at)
    this.held.unshift(next)
    this.state = 'holding'
    this.reading = new Subscription()
    this.reading.add(
      missingPrices$(refill, before, after, refillTimeout).subscribe({
        next: (event) => this.onPast(event),
        complete: () => {
          safeUnsubscribe(this.reading)
          this.settleHeld()
          this.last = after
          this.observer.onRefilled?.()
          this.release(true)
        },
      }),
    )
  }

  private endIfComplete(): void {
    if (this.isComplete && this.state === 'live') this.observer.onComplete()
  }
}

const timeOf = (event: PastEvent): number => (event._tag === 'Gap' ? event.from : event.at)

/** The price of a live event. */
const priceOf = (event: Either<unknown, unknown>): Price | undefined => {
  const { topic, price, receivedAt } = isRight(event) ? (event.right as Partial<Price>) : {}
  const isPrice = topic !== undefined && price !== undefined && receivedAt !== undefined
  return isPrice && isRight(event) ? (event.right as Price) : undefined
}
