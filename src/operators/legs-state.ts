import { isLeft, isRight, left, right, type Either, type Right } from 'fp-ts/lib/Either.js'
import { notFresh } from '../errors/constructors.js'
import type { NotFresh } from '../errors/model.js'

// State of `combineFresh`: plain data and pure functions.

interface Leg {
  readonly key: string
  /** `undefined` before the first event. */
  readonly latest: Either<unknown, unknown> | undefined
  /** Time of `latest`, in ms. */
  readonly at: number
  /** True if the leg has completed and `latest` is not a `Right`. */
  readonly isLost: boolean
}

/** State of all legs. */
export interface LegsState {
  /** True once all legs have been subscribed. */
  readonly isSubscribed: boolean
  /** In the order of the record's keys. */
  readonly legs: readonly Leg[]
}

/** Returns the next state, or the same object if nothing has changed. */
export type Update = (state: LegsState) => LegsState

export const initialState = (keys: readonly string[]): LegsState => ({
  isSubscribed: false,
  legs: keys.map((key) => ({ key, latest: undefined, at: 0, isLost: false })),
})

export const onSubscribed: Update = (state) => ({ ...state, isSubscribed: true })

export const onEvent = (index: number, latest: Either<unknown, unknown>, at: number): Update =>
  updateLeg(index, (leg) => ({ ...leg, latest, at }))

/** A leg that completes after a `Right` keeps its value. */
export const onComplete = (index: number): Update =>
  updateLeg(index, (leg) => (hasValue(leg) ? leg : { ...leg, isLost: true }))

const updateLeg =
  (index: number, update: (leg: Leg) => Leg): Update =>
  (state) => {
    const legs = state.legs.map((leg, at) => (at === index ? update(leg) : leg))
    return legs[index] === state.legs[index] ? state : { ...state, legs }
  }

/** False if a leg is lost: no `Right` can follow. */
export const canRecover = ({ legs }: LegsState): boolean => !legs.some(isLost)

/** The record of all values, or a `NotFresh` that names one leg. */
export const combinedResult = ({ legs }: LegsState, maxSkew: number): Either<NotFresh, object> => {
  // A lost leg takes precedence, because its `Left` is the last event.
  const leg = legs.find(isLost) ?? legs.find((candidate) => !hasValue(candidate))
  if (leg !== undefined) return left(notFresh(leg.key, faultOf(leg)))
  const legsWithValue = legs.filter(hasValue)
  const newest = Math.max(...legsWithValue.map(({ at }) => at))
  const skewed = legsWithValue.find(({ at }) => newest - at > maxSkew)
  if (skewed !== undefined) return left(notFresh(skewed.key, { why: 'skew', skewMs: newest - skewed.at }))
  return right(Object.fromEntries(legsWithValue.map(({ key, latest }) => [key, latest.right])))
}

interface LegWithValue extends Leg {
  readonly latest: Right<unknown>
}

const hasValue = (leg: Leg): leg is LegWithValue => leg.latest !== undefined && isRight(leg.latest)

const isLost = (leg: Leg): boolean => leg.isLost

const faultOf = ({ latest }: Leg): { why: 'missing' } | { why: 'left'; error: unknown } =>
  latest !== undefined && isLeft(latest) ? { why: 'left', error: latest.left } : { why: 'missing' }
