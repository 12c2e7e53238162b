import { isLeft, isRight, left, right, type Either, type Right } from 'fp-ts/lib/Either.js'
import { notFresh } from '../errors/constructors.js'
import type { NotFresh } from '../errors/model.js'

// What `combineFresh` knows of its legs, and what it makes of it: plain data and pure functions.

export interface Leg {
  readonly key: string
  /** What it gave last, if anything. */
  readonly latest: Either<unknown, unknown> | undefined
  /** The time of `latest`, in ms. */
  readonly at: number
  /** It has completed, and not with a value: it can never be relied on again. */
  readonly dead: boolean
}

export interface Legs {
  /** Every leg has been subscribed. */
  readonly settled: boolean
  /** In the order of the record's keys. */
  readonly legs: readonly Leg[]
}

/** Something that happened. The same state again says that nothing has. */
export type Move = (state: Legs) => Legs

export const unsettled = (keys: readonly string[]): Legs => ({
  settled: false,
  legs: keys.map((key) => ({ key, latest: undefined, at: 0, dead: false })),
})

export const settled: Move = (state) => ({ ...state, settled: true })

export const arrived = (index: number, latest: Either<unknown, unknown>, at: number): Move =>
  changed(index, (leg) => ({ ...leg, latest, at }))

/** A leg that completes with a value just keeps it, and nothing has happened. */
export const ended =
  (index: number): Move =>
  (state) =>
    state.legs.some((leg, at) => at === index && hasValue(leg))
      ? state
      : changed(index, (leg) => ({ ...leg, dead: true }))(state)

const changed =
  (index: number, change: (leg: Leg) => Leg): Move =>
  (state) => ({ ...state, legs: state.legs.map((leg, at) => (at === index ? change(leg) : leg)) })

/** Whether all legs may yet be relied on. */
export const canRecover = ({ legs }: Legs): boolean => !legs.some(isDead)

const isDead = (leg: Leg): boolean => leg.dead

const hasValue = (leg: Leg): leg is SoundLeg => leg.latest !== undefined && isRight(leg.latest)

interface SoundLeg extends Leg {
  readonly latest: Right<unknown>
}

/** The record of all values, or the one leg that is at fault. */
export const judge = <A extends object>({ legs }: Legs, maxSkew: number): Either<NotFresh, A> => {
  // A dead leg goes first: after its `Left` nothing follows.
  const faulty = legs.find(isDead) ?? legs.find((leg) => !hasValue(leg))
  if (faulty !== undefined) return left(notFresh(faulty.key, faultOf(faulty)))
  const sound = legs.filter(hasValue)
  const newest = Math.max(...sound.map((leg) => leg.at))
  const late = sound.find((leg) => newest - leg.at > maxSkew)
  if (late !== undefined) return left(notFresh(late.key, { why: 'skew', skewMs: newest - late.at }))
  return right(Object.fromEntries(sound.map((leg) => [leg.key, leg.latest.right])) as A)
}

const faultOf = ({ latest }: Leg): { why: 'missing' } | { why: 'left'; error: unknown } =>
  latest !== undefined && isLeft(latest) ? { why: 'left', error: latest.left } : { why: 'missing' }
