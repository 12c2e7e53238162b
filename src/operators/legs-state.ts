import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { notFresh } from '../base/errors/constructors.js'
import type { NotFresh } from '../base/errors/model.js'
import type { FreshLimits } from './fresh-limits.js'

/** One leg of `combineFresh`. */
export class Leg {
  /** `undefined` before the first event. */
  latest: Either<unknown, unknown> | undefined
  /** Time of `latest`, in ms. */
  at = 0
  /** True if the leg has completed and `latest` is not a `Right`. */
  isLost = false
  /** Monotonic time at which the value of `latest` had the age 0, in ms, if the leg has a limit. */
  bornAt = 0

  /** `maxAge` in ms; `Infinity` without a limit. */
  constructor(
    readonly key: string,
    readonly maxAge: number,
  ) {}

  get hasValue(): boolean {
    return this.latest !== undefined && isRight(this.latest)
  }

  get value(): unknown {
    const { latest } = this
    return latest === undefined || isLeft(latest) ? undefined : latest.right
  }

  /** In whole ms, as `receivedAt` is. */
  ageAt(elapsed: number): number {
    return Math.floor(elapsed - this.bornAt)
  }

  isTooOldAt(elapsed: number): boolean {
    return this.hasValue && this.ageAt(elapsed) > this.maxAge
  }

  /** The first monotonic time at which the value is too old. */
  get tooOldFrom(): number {
    return this.bornAt + Math.floor(this.maxAge) + 1
  }
}

/** State of `combineFresh`. It is mutable: a copy for each event costs more than the rest of the operator. */
export class LegsState {
  /** In the order of the record's keys. */
  readonly legs: readonly Leg[]
  readonly hasMaxAge: boolean
  /**
   * A record with all keys, to copy. A literal with computed keys is several times as slow once a process has several
   * combinations.
   */
  private readonly empty: Readonly<Record<string, unknown>>
  private legsWithoutValue: number
  /** The previous result, if it was a `Left`. */
  private previousFault: NotFresh | undefined
  private readonly maxSkew: number

  constructor(keys: readonly string[], { maxSkew, maxAgeOf }: FreshLimits) {
    this.maxSkew = maxSkew
    this.legs = keys.map((key) => new Leg(key, maxAgeOf(key)))
    this.hasMaxAge = this.legs.some(({ maxAge }) => maxAge < Infinity)
    this.empty = recordWith(keys)
    this.legsWithoutValue = keys.length
  }

  /** False if a leg is lost: no `Right` can follow. */
  get canRecover(): boolean {
    return !this.legs.some(({ isLost }) => isLost)
  }

  update(leg: Leg, latest: Either<unknown, unknown>, at: number): void {
    const hadValue = leg.hasValue
    leg.latest = latest
    leg.at = at
    if (isRight(latest) !== hadValue) this.legsWithoutValue += hadValue ? 1 : -1
  }

  /** The next monotonic time at which a value becomes too old; `Infinity` if none does. */
  nextTooOldAt(elapsed: number): number {
    const current = this.legs.filter((leg) => leg.hasValue && !leg.isTooOldAt(elapsed))
    return Math.min(Infinity, ...current.map(({ tooOldFrom }) => tooOldFrom))
  }

  /**
   * The record of all values, or a `NotFresh` that names one leg. `undefined` if the fault is the same as before.
   * `elapsed`: monotonic, in ms, if a leg has a `maxAge`.
   */
  nextResult(elapsed: number): Either<NotFresh, object> | undefined {
    if (this.legsWithoutValue > 0) return this.faultOfLeg()
    const tooOld = this.hasMaxAge ? this.firstTooOld(elapsed) : undefined
    if (tooOld !== undefined) return this.fault(tooOld.key, { why: 'age', ageMs: tooOld.ageAt(elapsed) })
    const [first, second] = this.legs
    // Two legs are the usual case, and cost two thirds without loops.
    if (first === undefined || second === undefined || this.legs.length > 2) return this.resultOfAll()
    const newest = first.at > second.at ? first.at : second.at
    if (newest - first.at > this.maxSkew || newest - second.at > this.maxSkew) return this.faultOfSkew(newest)
    this.previousFault = undefined
    const record = { ...this.empty }
    record[first.key] = first.value
    record[second.key] = second.value
    return right(record)
  }

  /** A separate method: in `nextResult`, the variable of the closure would be allocated for each event. */
  firstTooOld(elapsed: number): Leg | undefined {
    return this.legs.find((leg) => leg.isTooOldAt(elapsed))
  }

  /** `nextResult` for any number of legs that all have values. */
  private resultOfAll(): Either<NotFresh, object> | undefined {
    let newest = -Infinity
    for (const { at } of this.legs) if (at > newest) newest = at
    const record = { ...this.empty }
    for (const leg of this.legs) {
      if (newest - leg.at > this.maxSkew) return this.faultOfSkew(newest)
      record[leg.key] = leg.value
    }
    this.previousFault = undefined
    return right(record)
  }

  private faultOfSkew(newest: number): Either<NotFresh, never> | undefined {
    const leg = this.legs.find(({ at }) => newest - at > this.maxSkew)
    return leg && this.fault(leg.key, { why: 'skew', skewMs: newest - leg.at })
  }

  /** A lost leg takes precedence, because its `Left` is the last event. */
  private faultOfLeg(): Either<NotFresh, never> | undefined {
    const leg = this.legs.find(({ isLost }) => isLost) ?? this.legs.find(({ hasValue }) => !hasValue)
    if (leg?.latest === undefined || isRight(leg.latest))
      return this.fault(leg?.key ?? '', { why: 'missing' })
    return this.fault(leg.key, { why: 'left', error: leg.latest.left })
  }

  private fault(key: string, fault: LegFault): Either<NotFresh, never> | undefined {
    const previous = this.previousFault
    const isSame = previous?.leg === key && previous.why === fault.why && errorOf(previous) === errorOf(fault)
    if (isSame) return undefined
    this.previousFault = notFresh(key, fault)
    return left(this.previousFault)
  }
}

/** A record with all keys from the start and no room for more, so that a copy is fast and small. */
const recordWith = (keys: readonly string[]): Record<string, unknown> =>
  JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null])))) as Record<string, unknown>

type LegFault = Parameters<typeof notFresh>[1]

const errorOf = (fault: LegFault): unknown => (fault.why === 'left' ? fault.error : undefined)
