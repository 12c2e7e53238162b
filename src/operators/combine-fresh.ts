import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, Observable, type ObservedValueOf, type Subscriber } from 'rxjs'
import { maxTimerMs } from '../base/domain/valid-numbers.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { notFresh, type LegFault } from '../base/errors/constructors.js'
import type { DepthError, NotFresh, PriceError } from '../base/errors/model.js'
import { describeValue } from '../base/errors/text.js'
import { msFrom } from '../base/option-kinds/number-option.js'
import { checkedOption, plainObject, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions, shown, type CheckRules } from '../base/option-kinds/parse-options.js'
import { MovableDeadline } from '../base/time/deadline.js'
import { receivedAtOf } from '../base/time/event-time.js'
import { rxClock } from '../base/time/rx-clock.js'
import type { ErrorOf } from './either.js'
import { OperatorSubscriber } from './operator-subscriber.js'

/** Maximum ages of the legs of `combineFresh`: of all legs, or of those that the record names, in ms. */
export type MaxAge<Leg extends string = string> = number | Readonly<Partial<Record<Leg, number>>>

interface Limits<Leg extends string> {
  /**
   * Maximum age difference between the newest leg and any other leg, in ms: a finite number of at least 0. A quiet leg
   * ages while the others emit: the service repeats an unchanged price about every 10 s, so a lower value gives a
   * `Left` until then. Default: no limit.
   */
  readonly maxSkew?: number
  /**
   * Maximum age of a value, in ms: a finite number of at least 0 for all legs, or a record of such numbers for some of the
   * legs. A leg without a limit is current until its `Left`. Default: no limit.
   */
  readonly maxAge?: MaxAge<Leg>
}

/** Options of `combineFresh`: at least one of both. Any other value throws a `ConfigurationError`. */
export type CombineFreshOptions<Leg extends string = string> = Limits<Leg> &
  ({ readonly maxSkew: number } | { readonly maxAge: MaxAge<Leg> })

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
  return new Observable<Output>((subscriber) =>
    new Combination(subscriber, keys, limits).subscribeTo(legs$),
  ) as Observable<Either<NotFresh<LegOf<A>, LegErrorOf<Legs>>, A>>
}

/** In ms; `Infinity` for none. */
interface FreshLimits {
  readonly maxSkew: number
  readonly maxAgeOf: (leg: string) => number
}

const freshLimits = (legs: readonly string[], options: CombineFreshOptions): FreshLimits => {
  const { maxSkew = Infinity, maxAge = Infinity } = parseOptions(optionTable, options, rules)
  if (maxSkew === Infinity && maxAge === Infinity) {
    throw new ConfigurationError('maxSkew', 'combineFresh needs maxSkew or maxAge, or both')
  }
  if (typeof maxAge === 'number') return { maxSkew, maxAgeOf: () => maxAge }
  const ages = new Map(Object.entries(maxAge as Readonly<Record<string, number>>))
  if (ages.size === 0) throw new ConfigurationError('maxAge', 'names no leg')
  for (const [leg, ms] of ages) {
    if (!legs.includes(leg)) {
      const known = legs.map((key) => describeValue(key)).join(', ')
      throw new ConfigurationError(
        `maxAge.${leg}`,
        `combineFresh has no leg ${describeValue(leg)}, only ${known}`,
      )
    }
    checkValue(`maxAge.${leg}`, ms, limit, shown)
  }
  return { maxSkew, maxAgeOf: (leg) => ages.get(leg) ?? Infinity }
}

const limit = msFrom(0)

const optionTable = {
  maxSkew: checkedOption<number>('number', limit),
  maxAge: checkedOption<MaxAge>('object', {
    expected: `${limit.expected}, or a record of such numbers`,
    holds: (value) => plainObject.holds(value) || limit.holds(value),
  }),
} satisfies OptionTable<Limits<string>>

const rules: CheckRules = { ...shown, expected: 'an object like { maxAge: { depth: 2000 } }' }

/** The value of a leg, of any type. */
type LegEvent = Either<unknown, unknown>

type Output = Either<NotFresh, object>

/** One leg of `combineFresh`, and the subscriber of its stream. */
class Leg extends OperatorSubscriber<LegEvent, Output> {
  /** `undefined` before the first event. */
  latest: LegEvent | undefined
  /** Time of `latest`, in ms. */
  at = 0
  /** True if the leg has completed and `latest` is not a `Right`. */
  isLost = false
  /** Monotonic time at which the value of `latest` had the age 0, in ms; `Infinity` without a value, or without a limit. */
  bornAt = Infinity

  /** `maxAge` in ms; `Infinity` without a limit. */
  constructor(
    private readonly combination: Combination,
    subscriber: Subscriber<Output>,
    readonly key: string,
    readonly maxAge: number,
  ) {
    super(subscriber)
  }

  get hasValue(): boolean {
    return this.latest !== undefined && isRight(this.latest)
  }

  /** In whole ms, as `receivedAt` is. */
  ageAt(elapsed: number): number {
    return Math.floor(elapsed - this.bornAt)
  }

  isTooOldAt(elapsed: number): boolean {
    return this.ageAt(elapsed) > this.maxAge
  }

  /** The first monotonic time at which the value is too old; `Infinity` if it is already, or never. */
  nextTooOldAt(elapsed: number): number {
    return this.isTooOldAt(elapsed) ? Infinity : this.bornAt + Math.floor(this.maxAge) + 1
  }

  /** Why the leg is not current. `newest`: the time of the newest leg, in ms. */
  faultAt(elapsed: number, newest: number): LegFault {
    const { latest } = this
    if (latest === undefined) return { why: 'missing' }
    if (isLeft(latest)) return { why: 'left', error: latest.left }
    if (this.isTooOldAt(elapsed)) return { why: 'age', ageMs: this.ageAt(elapsed) }
    return { why: 'skew', skewMs: newest - this.at }
  }

  protected onEvent(event: LegEvent): void {
    const receivedAt = receivedAtOf(event)
    this.combination.onEvent(this, event, Number.isFinite(receivedAt) ? receivedAt : rxClock.wallClock())
  }

  protected onComplete(): void {
    this.combination.onComplete(this)
  }

  protected override _error(error: unknown): void {
    this.combination.onError(error)
  }
}

/** The longest time by which a clock is set back, in ms: a year. */
const longestStep = 365 * 86_400_000

/**
 * One subscription of `combineFresh`. Updates from inside a handler are queued, so that their events follow the current
 * event. RxJS's `queueScheduler` is not used: it is shared by the process, and loses queued actions after an exception.
 */
class Combination {
  /** In the order of the record's keys. */
  private readonly legs: readonly Leg[]
  private readonly maxSkew: number
  private readonly hasMaxAge: boolean
  /** The latest values, to copy: a literal with computed keys is slow once a process has several combinations. */
  private readonly values: Record<string, unknown>
  private activeLegs: number
  private isSubscribed = false
  private isEmitting = false
  private readonly queue: (() => void)[] = []
  /** The previous result, if it was a `Left`. */
  private previous: NotFresh | undefined
  /** For the earliest time at which a leg is too old. */
  private readonly ageTimer = new MovableDeadline(rxClock, () => this.onAge())

  constructor(
    private readonly subscriber: Subscriber<Output>,
    keys: readonly string[],
    { maxSkew, maxAgeOf }: FreshLimits,
  ) {
    this.legs = keys.map((key) => new Leg(this, subscriber, key, maxAgeOf(key)))
    this.maxSkew = maxSkew
    this.hasMaxAge = this.legs.some(({ maxAge }) => maxAge < Infinity)
    // By `JSON.parse`: without room for more keys, so that a copy is fast and small.
    this.values = JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null])))) as Record<
      string,
      null
    >
    this.activeLegs = keys.length
    subscriber.add(() => this.ageTimer.stop())
  }

  /** The legs are in the order of the keys. The first event follows all synchronous events of the legs. */
  subscribeTo(legs$: readonly Observable<LegEvent>[]): void {
    for (const [index, leg$] of legs$.entries()) {
      if (this.subscriber.closed) return
      this.legs[index]?.subscribeTo(leg$)
    }
    this.run(() => {
      this.isSubscribed = true
      this.emit()
      this.completeIfEnded()
    })
  }

  onEvent(leg: Leg, event: LegEvent, at: number): void {
    // Not a closure: V8 would allocate its variables for each event.
    if (this.isEmitting) return void this.queue.push(this.update.bind(this, leg, event, at))
    this.isEmitting = true
    this.update(leg, event, at)
    this.runQueue()
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
    for (const leg of this.legs) leg.unsubscribe()
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
    leg.latest = event
    leg.at = at
    if (isRight(event)) {
      // In two places: V8 assigns faster where the key is always the same, as it is here with two legs.
      if (leg === this.legs[0]) this.values[leg.key] = event.right
      else this.values[leg.key] = event.right
    }
    if (leg.maxAge < Infinity) this.startAge(leg)
    this.emit()
  }

  private startAge(leg: Leg): void {
    const elapsed = rxClock.elapsed()
    const age = rxClock.wallClock() - leg.at
    // A later time is of a clock that was set back, and would keep the value current until then.
    const isSetBack = age < 0 && age >= -longestStep
    leg.bornAt = leg.hasValue ? elapsed - (isSetBack ? 0 : age) : Infinity
    this.setAgeTimer(elapsed)
  }

  /** Without a timer, the age is checked when a leg emits. */
  private setAgeTimer(elapsed: number): void {
    let dueAt = Infinity
    for (const leg of this.legs) dueAt = Math.min(dueAt, leg.nextTooOldAt(elapsed))
    if (dueAt - elapsed <= maxTimerMs) this.ageTimer.set(dueAt, elapsed)
  }

  private onAge(): void {
    const elapsed = rxClock.elapsed()
    this.setAgeTimer(elapsed)
    if (this.legs.some((leg) => leg.isTooOldAt(elapsed))) this.run(() => this.emit())
  }

  private emit(): void {
    if (!this.isSubscribed || this.subscriber.closed) return
    const result = this.nextResult()
    if (result !== undefined) this.subscriber.next(result)
  }

  /** The record of all values, or a `NotFresh` that names one leg. `undefined` if the fault is the same as before. */
  private nextResult(): Output | undefined {
    const elapsed = this.hasMaxAge ? rxClock.elapsed() : 0
    let newest = -Infinity
    let oldest = Infinity
    // Not `every`: V8 would allocate a closure for each event.
    for (const leg of this.legs) {
      if (!leg.hasValue || leg.isTooOldAt(elapsed)) return this.nextFault(elapsed)
      if (leg.at > newest) newest = leg.at
      if (leg.at < oldest) oldest = leg.at
    }
    if (newest - oldest > this.maxSkew) return this.nextFault(elapsed)
    this.previous = undefined
    return right({ ...this.values })
  }

  private nextFault(elapsed: number): Either<NotFresh, never> | undefined {
    const { legs, previous } = this
    const newest = Math.max(...legs.map(({ at }) => at))
    // A lost leg takes precedence, because its `Left` is the last event.
    const leg =
      legs.find(({ isLost }) => isLost) ??
      legs.find(({ hasValue }) => !hasValue) ??
      legs.find((each) => each.isTooOldAt(elapsed)) ??
      legs.find(({ at }) => newest - at > this.maxSkew)
    if (leg === undefined) return undefined
    const fault = leg.faultAt(elapsed, newest)
    const isSame =
      previous?.leg === leg.key && previous.why === fault.why && errorOf(previous) === errorOf(fault)
    if (isSame) return undefined
    this.previous = notFresh(leg.key, fault)
    return left(this.previous)
  }

  private completeIfEnded(): void {
    const isEnded = this.activeLegs === 0 || this.legs.some(({ isLost }) => isLost)
    if (this.isSubscribed && isEnded) this.subscriber.complete()
  }
}

const errorOf = (fault: LegFault): unknown => (fault.why === 'left' ? fault.error : undefined)
