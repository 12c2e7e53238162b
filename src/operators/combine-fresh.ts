import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, Observable, type ObservedValueOf } from 'rxjs'
import { maxTimerMs } from '../base/domain/valid-numbers.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { notFresh } from '../base/errors/constructors.js'
import type { DepthError, NotFresh, PriceError } from '../base/errors/model.js'
import { describeValue } from '../base/errors/text.js'
import { msFrom } from '../base/option-kinds/number-option.js'
import { checkedOption, plainObject, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions, shown, type CheckRules } from '../base/option-kinds/parse-options.js'
import { MovableDeadline } from '../base/time/timers.js'
import { receivedAtOf } from '../base/time/event-time.js'
import { rxClock } from '../base/time/clock.js'
import type { ErrorOf } from './either.js'

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
  const legs$ = legs as Readonly<Record<string, Observable<LegEvent>>>
  const limits = freshLimits(Object.keys(legs$), options)
  if (Object.keys(legs$).length === 0) return EMPTY
  return combine$(legs$, limits) as Observable<Either<NotFresh<LegOf<A>, LegErrorOf<Legs>>, A>>
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

type LegEvent = Either<unknown, unknown>

type Output = Either<NotFresh, object>

interface Leg {
  readonly key: string
  /** In ms; `Infinity` without a limit. */
  readonly maxAge: number
  /** `undefined` before the first event. */
  latest: LegEvent | undefined
  /** Time of `latest`, in ms. */
  at: number
  /** Monotonic time at which the value of `latest` had the age 0, in ms; `Infinity` without a value, or without a limit. */
  bornAt: number
  isComplete: boolean
}

const combine$ = (
  legs$: Readonly<Record<string, Observable<LegEvent>>>,
  { maxSkew, maxAgeOf }: FreshLimits,
): Observable<Output> =>
  new Observable((subscriber) => {
    const start = { latest: undefined, at: 0, bornAt: Infinity, isComplete: false }
    const legs = Object.keys(legs$).map((key): Leg => ({ ...start, key, maxAge: maxAgeOf(key) }))
    /** The latest values, in the order of the keys. */
    const values: Record<string, unknown> = Object.fromEntries(legs.map(({ key }) => [key, undefined]))
    /** The previous result, if it was a `Left`. */
    let previous: NotFresh | undefined
    let isSubscribed = false
    const hasMaxAge = legs.some(({ maxAge }) => maxAge < Infinity)
    const elapsedIfNeeded = (): number => (hasMaxAge ? rxClock.elapsed() : 0)
    let isRunning = false
    const later: (() => void)[] = []

    /** A change that a handler causes follows the current one, so that the events keep their order. */
    const run = (change: () => void): void => {
      if (isRunning) return void later.push(change)
      isRunning = true
      change()
      while (later.length > 0 && !subscriber.closed) later.shift()?.()
      isRunning = false
    }
    const emit = (elapsed = elapsedIfNeeded()): void => {
      if (!isSubscribed) return
      const fault = faultOf(legs, maxSkew, elapsed)
      const isRepeated = fault !== undefined && previous !== undefined && areSame(fault, previous)
      previous = fault
      if (!isRepeated) subscriber.next(fault === undefined ? right({ ...values }) : left(fault))
    }
    const completeIfEnded = (): void => {
      const isEnded = legs.some(isLost) || legs.every(({ isComplete }) => isComplete)
      if (isSubscribed && isEnded) subscriber.complete()
    }
    const onEvent = (leg: Leg, event: LegEvent, at: number): void => {
      const elapsed = elapsedIfNeeded()
      setLatest(leg, event, at, elapsed)
      if (isRight(event)) values[leg.key] = event.right
      if (leg.maxAge < Infinity) setAgeTimer(elapsed)
      emit(elapsed)
    }
    const onComplete = (leg: Leg): void => {
      leg.isComplete = true
      if (isLost(leg)) emit()
      completeIfEnded()
    }
    const onAge = (): void => {
      const elapsed = rxClock.elapsed()
      setAgeTimer(elapsed)
      if (legs.some((leg) => isTooOldAt(leg, elapsed))) emit(elapsed)
    }
    const ageTimer = new MovableDeadline(rxClock, () => run(onAge))
    /** Without a timer, the age is checked when a leg emits. */
    const setAgeTimer = (elapsed: number): void => {
      let dueAt = Infinity
      for (const leg of legs) dueAt = Math.min(dueAt, nextTooOldAt(leg, elapsed))
      if (dueAt - elapsed <= maxTimerMs) ageTimer.set(dueAt, elapsed)
    }

    for (const leg of legs) {
      if (subscriber.closed) break
      const subscription = legs$[leg.key]?.subscribe({
        next: (event) => {
          const at = timeOf(event)
          run(() => onEvent(leg, event, at))
        },
        error: (thrown) => subscriber.error(thrown),
        complete: () => run(() => onComplete(leg)),
      })
      subscriber.add(subscription)
    }
    run(() => {
      isSubscribed = true
      emit()
      completeIfEnded()
    })
    return () => ageTimer.stop()
  })

const timeOf = (event: LegEvent): number => {
  const receivedAt = receivedAtOf(event)
  return Number.isFinite(receivedAt) ? receivedAt : rxClock.wallClock()
}

/** The longest time by which a clock is set back, in ms: a year. */
const longestStep = 365 * 86_400_000

const setLatest = (leg: Leg, event: LegEvent, at: number, elapsed: number): void => {
  leg.latest = event
  leg.at = at
  if (leg.maxAge === Infinity) return
  const age = rxClock.wallClock() - at
  // A later time is of a clock that was set back, and would keep the value current until then.
  const isSetBack = age < 0 && age >= -longestStep
  leg.bornAt = isRight(event) ? elapsed - (isSetBack ? 0 : age) : Infinity
}

/** In whole ms, as `receivedAt` is. */
const ageAt = ({ bornAt }: Leg, elapsed: number): number => Math.floor(elapsed - bornAt)

const isTooOldAt = (leg: Leg, elapsed: number): boolean => ageAt(leg, elapsed) > leg.maxAge

/** The first monotonic time at which the value is too old; `Infinity` if it is already, or never. */
const nextTooOldAt = (leg: Leg, elapsed: number): number =>
  isTooOldAt(leg, elapsed) ? Infinity : leg.bornAt + Math.floor(leg.maxAge) + 1

const hasValue = ({ latest }: Leg): boolean => latest !== undefined && isRight(latest)

const isLost = (leg: Leg): boolean => leg.isComplete && !hasValue(leg)

/** Why a leg is not current. A lost leg takes precedence, because its `Left` is the last event. */
const faultOf = (legs: readonly Leg[], maxSkew: number, elapsed: number): NotFresh | undefined => {
  // Loops, because each event of a leg runs this.
  let newest = -Infinity
  for (const { at } of legs) newest = Math.max(newest, at)
  let isCurrent = true
  for (const leg of legs)
    isCurrent &&= hasValue(leg) && !isTooOldAt(leg, elapsed) && newest - leg.at <= maxSkew
  if (isCurrent) return undefined
  const leg =
    legs.find(isLost) ??
    legs.find((each) => !hasValue(each)) ??
    legs.find((each) => isTooOldAt(each, elapsed)) ??
    legs.find(({ at }) => newest - at > maxSkew)
  if (leg === undefined) return undefined
  const { key, latest } = leg
  if (latest === undefined) return notFresh(key, { why: 'missing' })
  if (isLeft(latest)) return notFresh(key, { why: 'left', error: latest.left })
  if (isTooOldAt(leg, elapsed)) return notFresh(key, { why: 'age', ageMs: ageAt(leg, elapsed) })
  return notFresh(key, { why: 'skew', skewMs: newest - leg.at })
}

const areSame = (one: NotFresh, other: NotFresh): boolean =>
  one.leg === other.leg && one.why === other.why && errorOf(one) === errorOf(other)

const errorOf = (fault: NotFresh): unknown => (fault.why === 'left' ? fault.error : undefined)
