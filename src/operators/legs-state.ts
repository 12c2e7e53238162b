import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { notFresh } from '../base/errors/constructors.js'
import type { NotFresh } from '../base/errors/model.js'
import type { FreshLimits } from './fresh-limits.js'

/** The state of one leg of `combineFresh`. */
export interface Leg {
  readonly key: string
  /** `undefined` before the first event. */
  readonly latest: Either<unknown, unknown> | undefined
  /** Time of `latest`, in ms. */
  readonly at: number
  /** True if the leg has completed and `latest` is not a `Right`. */
  readonly isLost: boolean
  /** In ms; `Infinity` without a limit. */
  readonly maxAge: number
  /** Monotonic time at which the value of `latest` had the age 0, in ms, if the leg has a limit. */
  readonly bornAt: number
}

type MutableLeg = { -readonly [Field in keyof Leg]: Leg[Field] }

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
  private hasLostLeg = false
  /** The previous result, if it was a `Left`. */
  private previousFault: NotFresh | undefined
  private readonly maxSkew: number

  constructor(keys: readonly string[], { maxSkew, maxAgeOf }: FreshLimits) {
    this.maxSkew = maxSkew
    this.legs = keys.map((key) => ({
      key,
      latest: undefined,
      at: 0,
      isLost: false,
      maxAge: maxAgeOf(key),
      bornAt: 0,
    }))
    this.hasMaxAge = this.legs.some(({ maxAge }) => maxAge < Infinity)
    this.empty = recordWith(keys)
    this.legsWithoutValue = keys.length
  }

  /** False if a leg is lost: no `Right` can follow. */
  get canRecover(): boolean {
    return !this.hasLostLeg
  }

  update(leg: MutableLeg, latest: Either<unknown, unknown>, at: number): void {
    const hadValue = hasValue(leg)
    leg.latest = latest
    leg.at = at
    if (isRight(latest) !== hadValue) this.legsWithoutValue += hadValue ? 1 : -1
  }

  /** Returns the monotonic time at which the value becomes too old. */
  startAge(leg: MutableLeg, bornAt: number): number {
    leg.bornAt = bornAt
    return tooOldFrom(leg)
  }

  /** The first leg whose value is too old at a monotonic time. */
  tooOldAt(elapsed: number): Leg | undefined {
    return this.legs.find((leg) => hasValue(leg) && ageAt(leg, elapsed) > leg.maxAge)
  }

  /** The next monotonic time at which a value becomes too old; `Infinity` if none does. */
  nextTooOldAt(elapsed: number): number {
    const times = this.legs
      .filter((leg) => hasValue(leg) && ageAt(leg, elapsed) <= leg.maxAge)
      .map(tooOldFrom)
    return Math.min(Infinity, ...times)
  }

  /** A leg that completes after a `Right` keeps its value. Returns true if the leg is lost. */
  complete(leg: MutableLeg): boolean {
    if (hasValue(leg)) return false
    leg.isLost = true
    this.hasLostLeg = true
    return true
  }

  /**
   * The record of all values, or a `NotFresh` that names one leg. `undefined` if the fault is the same as before.
   * `elapsed`: monotonic, in ms, if a leg has a `maxAge`.
   */
  nextResult(elapsed: number): Either<NotFresh, object> | undefined {
    if (this.legsWithoutValue > 0) return this.faultOfLeg()
    const tooOld = this.hasMaxAge ? this.tooOldAt(elapsed) : undefined
    if (tooOld !== undefined) return this.fault(tooOld.key, { why: 'age', ageMs: ageAt(tooOld, elapsed) })
    const [first, second] = this.legs
    // Two legs are the usual case, and cost two thirds without loops.
    if (first === undefined || second === undefined || this.legs.length > 2) return this.resultOfAll()
    const newest = first.at > second.at ? first.at : second.at
    if (newest - first.at > this.maxSkew || newest - second.at > this.maxSkew) return this.faultOfSkew(newest)
    this.previousFault = undefined
    const record = { ...this.empty }
    record[first.key] = valueOf(first)
    record[second.key] = valueOf(second)
    return right(record)
  }

  /** `nextResult` for any number of legs that all have values. */
  private resultOfAll(): Either<NotFresh, object> | undefined {
    let newest = -Infinity
    let oldest = Infinity
    for (const { at } of this.legs) {
      if (at > newest) newest = at
      if (at < oldest) oldest = at
    }
    if (newest - oldest > this.maxSkew) return this.faultOfSkew(newest)
    this.previousFault = undefined
    const record = { ...this.empty }
    for (const leg of this.legs) record[leg.key] = valueOf(leg)
    return right(record)
  }

  private faultOfSkew(newest: number): Either<NotFresh, never> | undefined {
    for (const { key, at } of this.legs) {
      const skewMs = newest - at
      if (skewMs > this.maxSkew) return this.fault(key, { why: 'skew', skewMs })
    }
    return undefined
  }

  /** A lost leg takes precedence, because its `Left` is the last event. */
  private faultOfLeg(): Either<NotFresh, never> | undefined {
    const leg = this.legs.find(({ isLost }) => isLost) ?? this.legs.find((candidate) => !hasValue(candidate))
    if (leg?.latest === undefined || isRight(leg.latest))
      return this.fault(leg?.key ?? '', { why: 'missing' })
    return this.fault(leg.key, { why: 'left', error: leg.latest.left })
  }

  private fault(key: string, fault: LegFault): Either<NotFresh, never> | undefined {
    const previous = this.previousFault
    if (previous?.leg === key && previous.why === fault.why && errorOf(previous) === errorOf(fault)) {
      return undefined
    }
    this.previousFault = notFresh(key, fault)
    return left(this.previousFault)
  }
}

/** A record with all keys from the start and no room for more, so that a copy is fast and small. */
const recordWith = (keys: readonly string[]): Record<string, unknown> =>
  JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null])))) as Record<string, unknown>

/** In whole ms, as `receivedAt` is. */
const ageAt = ({ bornAt }: Leg, elapsed: number): number => Math.floor(elapsed - bornAt)

/** The first time at which `ageAt` exceeds `maxAge`. */
const tooOldFrom = ({ bornAt, maxAge }: Leg): number => bornAt + Math.floor(maxAge) + 1

type LegFault = Parameters<typeof notFresh>[1]

const errorOf = (fault: LegFault): unknown => (fault.why === 'left' ? fault.error : undefined)

const valueOf = ({ latest }: Leg): unknown =>
  latest === undefined || isLeft(latest) ? undefined : latest.right

const hasValue = ({ latest }: Leg): boolean => latest !== undefined && isRight(latest)
