import type { Either } from 'fp-ts/lib/Either.js'
import { EMPTY, Observable, Subscription, type ObservedValueOf, type Subscriber } from 'rxjs'
import { maxTimerMs } from '../base/domain/valid-numbers.js'
import type { DepthError, NotFresh, PriceError } from '../base/errors/model.js'
import { MovableDeadline } from '../base/time/deadline.js'
import { receivedAtOf } from '../base/time/event-time.js'
import { rxClock } from '../base/time/rx-clock.js'
import type { ErrorOf } from './either.js'
import { freshLimits, type CombineFreshOptions, type FreshLimits } from './fresh-limits.js'
import { LegsState, type Leg } from './legs-state.js'
import { OperatorSubscriber } from './operator-subscriber.js'

/** One stream for each field of the record `A`. The streams may have different errors. */
export type FreshLegs<A extends object> = { readonly [K in keyof A]: Observable<Either<unknown, A[K]>> }

type LegOf<A extends object> = `${Exclude<keyof A, symbol>}`
type LegErrorOf<Legs extends FreshLegs<object>> = Named<ErrorOf<ObservedValueOf<Legs[keyof Legs]>>>

/** The errors of `price$` and of `depth$`. */
export type MarketError = PriceError | DepthError

/** The same type. An editor shows the errors of a price and of a depth by this name, and not as fourteen names. */
type Named<E> = [E] extends [MarketError] ? ([MarketError] extends [E] ? MarketError : E) : E

/**
 * Combines the latest values of several streams (legs) into one record, while all of them are current. If a leg has no
 * value yet, has a `Left`, is older than its `maxAge`, or is more than `maxSkew` ms older than the newest leg, emits a
 * `Left<NotFresh>` that names the leg.
 *
 * ```
 * a                            -1-----3---4----|
 * b                            ---x-L---y------|     L: Left(e)
 * combineFresh({ a: a$, … })   ml-r-n---s-t----|
 *                              m: missing a   l: missing b   r: { a: 1, b: x }
 *                              n: left b (e)  s: { a: 3, b: y }  t: { a: 4, b: y }
 * ```
 *
 * ```
 * price                                    a---------b-------|
 * depth                                    x-y---------z-----|
 * combineFresh(…, { maxAge: { depth: 5 }}) r-s-----o---t-----|   o: age depth (6 ms)   t: { price: b, depth: z }
 * ```
 *
 * - The time of a value is its `receivedAt`, or its arrival if it has none, or if its `receivedAt` is later by up to a year: the
 *   clock was set back. A value of a later time, such as that of a marble test without `stamp`, is not too old.
 * - `maxAge` applies when a leg emits and when time passes: its `Left` is emitted once, and again only after a `Right`
 *   or another `Left`. Suits a price, which is current until its `Left`, with a polled depth: `{ maxAge: { depth: 2000 } }`.
 * - `maxSkew` applies only when a leg emits. It compares the legs with each other: a price is not current while it is quiet
 *   for longer. If the wall clock is set back, the computed skew of a silent leg is too small until its `Left`.
 * - The first event is emitted when all legs are subscribed, and includes the values that they emit synchronously. Then
 *   each change of a leg emits an event, except a `Left` with the same leg, `why` and `error` as the previous one.
 * - If several legs have no value, `NotFresh` names the first of them, in the order of the record's keys. If all legs
 *   have values, it names the first leg that is older than its `maxAge`, otherwise the first that `maxSkew` excludes.
 * - A leg that completes after a value keeps the value, until `maxAge` or `maxSkew` applies. A leg that completes without a value
 *   or after a `Left` is lost: the combination emits a `Left` that names the leg, and completes. The combination also
 *   completes when all legs have completed; without legs, immediately.
 * - Events keep their order, even if a handler causes an event of a leg. An Rx error of a leg ends the combination with
 *   that error.
 *
 * @example
 * const legs = { price: client.price$(topic), depth: client.depth$(mint, 500) }
 * const both$ = combineFresh(legs, { maxAge: { depth: 2000 } })
 * const pair$ = combineFresh({ eth: client.price$(eth), btc: client.price$(btc) }, { maxSkew: 15_000 })
 * // Observable<Either<NotFresh<"eth" | "btc", PriceError>, { eth: Price; btc: Price }>>
 */
// eslint-disable-next-line rxjs-x/finnish -- named as Rx names its own, such as combineLatest
export const combineFresh = <A extends object, Legs extends FreshLegs<A> = FreshLegs<A>>(
  legs: FreshLegs<A> & Legs,
  options: CombineFreshOptions<LegOf<A>>,
): Observable<Either<NotFresh<LegOf<A>, LegErrorOf<Legs>>, A>> => {
  const keys = Object.keys(legs) as (keyof A & string)[]
  const limits = freshLimits(keys, options)
  if (keys.length === 0) return EMPTY
  const legs$ = keys.map((key) => legs[key])
  return new Observable<Either<NotFresh, object>>((subscriber) =>
    new Combination(subscriber, keys, limits).subscribeTo(legs$),
  ) as Observable<Either<NotFresh<LegOf<A>, LegErrorOf<Legs>>, A>>
}

/** The value of a leg, of any type. */
type LegEvent = Either<unknown, unknown>

/** The longest time by which a clock is set back, in ms: a year. */
const longestStep = 365 * 86_400_000

/**
 * One subscription of `combineFresh`. Updates from inside a handler are queued, so that their events follow the current
 * event. RxJS's `queueScheduler` is not used: it is shared by the process, and loses queued actions after an exception.
 */
class Combination {
  private readonly state: LegsState
  private activeLegs: number
  private isSubscribed = false
  private isEmitting = false
  private readonly queue: (() => void)[] = []
  private readonly legSubscribers = new Subscription()
  /** For the earliest time at which a leg is too old. */
  private readonly ageTimer = new MovableDeadline(rxClock, () => this.onAge())

  constructor(
    private readonly subscriber: Subscriber<Either<NotFresh, object>>,
    keys: readonly string[],
    limits: FreshLimits,
  ) {
    this.state = new LegsState(keys, limits)
    this.activeLegs = keys.length
    subscriber.add(() => this.ageTimer.stop())
  }

  /** The legs are in the order of the keys. The first event follows all synchronous events of the legs. */
  subscribeTo(legs$: readonly Observable<LegEvent>[]): void {
    for (const [index, leg$] of legs$.entries()) {
      const leg = this.state.legs[index]
      if (leg === undefined || this.subscriber.closed) return
      const legSubscriber = new LegSubscriber(this.subscriber, this, leg)
      this.legSubscribers.add(legSubscriber)
      legSubscriber.subscribeTo(leg$)
    }
    this.run(() => {
      this.isSubscribed = true
      this.emit()
      this.completeIfEnded()
    })
  }

  onEvent(leg: Leg, event: LegEvent, at: number): void {
    if (this.isEmitting) {
      this.queueEvent(leg, event, at)
      return
    }
    this.isEmitting = true
    this.update(leg, event, at)
    this.isEmitting = false
    if (this.queue.length > 0) this.runQueue()
  }

  onComplete(leg: Leg): void {
    this.run(() => {
      this.activeLegs -= 1
      // A leg that completes after a `Right` keeps its value.
      leg.isLost = !leg.hasValue
      if (leg.isLost) this.emit()
      this.completeIfEnded()
    })
  }

  /** No event follows the error, so the other legs end before the queue is processed. */
  onError(error: unknown): void {
    this.run(() => this.subscriber.error(error))
    this.legSubscribers.unsubscribe()
  }

  /** A separate method: in `onEvent`, the variables of the closure would be allocated for each event. */
  private queueEvent(leg: Leg, event: LegEvent, at: number): void {
    this.queue.push(() => this.update(leg, event, at))
  }

  private run(update: () => void): void {
    this.queue.push(update)
    if (!this.isEmitting) this.runQueue()
  }

  private runQueue(): void {
    this.isEmitting = true
    while (this.queue.length > 0) this.queue.shift()?.()
    this.isEmitting = false
  }

  private update(leg: Leg, event: LegEvent, at: number): void {
    this.state.update(leg, event, at)
    if (leg.maxAge < Infinity) this.startAge(leg, at)
    this.emit()
  }

  private startAge(leg: Leg, at: number): void {
    const elapsed = rxClock.elapsed()
    const age = rxClock.wallClock() - at
    // A later time is of a clock that was set back, and would keep the value current until then.
    const isSetBack = age < 0 && age >= -longestStep
    leg.bornAt = isSetBack ? elapsed : elapsed - age
    this.setAgeTimer(elapsed)
  }

  /** Without a timer, the age is checked when a leg emits. */
  private setAgeTimer(elapsed: number): void {
    const dueAt = this.state.nextTooOldAt(elapsed)
    if (dueAt - elapsed <= maxTimerMs) this.ageTimer.set(dueAt, elapsed)
  }

  private onAge(): void {
    const elapsed = rxClock.elapsed()
    this.setAgeTimer(elapsed)
    if (this.state.firstTooOld(elapsed) !== undefined) this.run(() => this.emit())
  }

  private emit(): void {
    if (!this.isSubscribed || this.subscriber.closed) return
    try {
      const result = this.state.nextResult(this.state.hasMaxAge ? rxClock.elapsed() : 0)
      if (result !== undefined) this.subscriber.next(result)
    } catch (thrown) {
      this.subscriber.error(thrown)
    }
  }

  private completeIfEnded(): void {
    if (this.isSubscribed && (this.activeLegs === 0 || !this.state.canRecover)) this.subscriber.complete()
  }
}

class LegSubscriber extends OperatorSubscriber<LegEvent, Either<NotFresh, object>> {
  constructor(
    subscriber: Subscriber<Either<NotFresh, object>>,
    private readonly combination: Combination,
    private readonly leg: Leg,
  ) {
    super(subscriber)
  }

  protected onEvent(event: LegEvent): void {
    const receivedAt = receivedAtOf(event)
    this.combination.onEvent(this.leg, event, Number.isFinite(receivedAt) ? receivedAt : rxClock.wallClock())
  }

  protected onComplete(): void {
    this.combination.onComplete(this.leg)
  }

  protected override _error(error: unknown): void {
    this.combination.onError(error)
  }
}
