import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  defer,
  distinctUntilChanged,
  EMPTY,
  endWith,
  filter,
  map,
  merge,
  observeOn,
  of,
  scan,
  takeWhile,
  type Observable,
} from 'rxjs'
import type { NotFresh } from '../errors/model.js'
import { createQueueScheduler } from '../time/rx-providers.js'
import { checkMs } from './checked-ms.js'
import { arrived, canRecover, ended, judge, settled, unsettled, type Move } from './legs.js'

export interface CombineFreshOptions {
  /** How much older than the newest leg a leg may be, in ms. Anything not finite or below 0 throws. */
  readonly maxSkew: number
}

/** One stream for each field of the record `A`. Their errors may differ. */
export type FreshLegs<A extends object> = { readonly [K in keyof A]: Observable<Either<unknown, A[K]>> }

/**
 * The latest values of several streams as one record, and only while all of them can be relied on. A strategy
 * cannot trade on a dead leg: whenever one has no value yet, has a `Left`, or is more than `maxSkew` ms older than
 * the newest, the combination is a `Left<NotFresh>` that names it.
 *
 * ```
 * a                            -1-----3---4----|
 * b                            ---x-L---y------|     L: Left(e)
 * combineFresh({ a: a$, … })   ml-r-n---s-t----|
 *                              m: missing a   l: missing b   r: { a: 1, b: x }
 *                              n: left b (e)  s: { a: 3, b: y }  t: { a: 4, b: y }
 * ```
 *
 * - A value's age is its `receivedAt`, or its arrival where it has none. Legs are measured against each other, when
 *   one of them moves: the passing of time alone gives nothing. That is what the `Stale` of `price$` and of
 *   `freshWithin` is for. `receivedAt` is a time of day: where the clock is set back, a leg that is silent since before
 *   that looks as much younger, until its `Stale`, which goes by no clock that can be set.
 * - The first value comes at once, when all legs are subscribed: what they gave by then is taken together. From then
 *   on each change of a leg gives a value, save a `Left` that would say the same leg, `why` and `error` as the one
 *   before it: `skewMs` is that of the first.
 * - Where several legs are at fault, the first in the order of the record's keys that is missing or `Left` is named;
 *   where all have values, the first that is too old.
 * - A leg that completes keeps its last value, which ages, so that `maxSkew` finds it. A leg that completes without
 *   one, or with a `Left`, can never be relied on again: a `Left` names it, and the combination completes. It
 *   completes too when all legs have; without legs, at once.
 * - Values keep their order, also when a handler moves a leg. An Rx error of a leg is passed on.
 *
 * @example
 * const both$ = combineFresh({ eth: client.price$(eth), btc: client.price$(btc) }, { maxSkew: 2000 })
 * // Observable<Either<NotFresh, { eth: Price; btc: Price }>>
 */
// eslint-disable-next-line rxjs-x/finnish -- named as Rx names its own, such as combineLatest
export const combineFresh = <A extends object>(
  legs: FreshLegs<A>,
  { maxSkew }: CombineFreshOptions,
): Observable<Either<NotFresh, A>> => {
  checkMs('combineFresh', 'maxSkew', maxSkew)
  const keys = Object.keys(legs) as (keyof A & string)[]
  if (keys.length === 0) return EMPTY
  const moves$ = keys.map((key, index) => movesOf$(legs[key], index))
  // Merging subscribes in order: by the last move every leg has given what it has.
  const move$ = merge(...moves$, of(settled))
  const states$ = inOrder$(move$).pipe(
    scan((state, move) => move(state), unsettled(keys)),
    distinctUntilChanged(),
    filter((state) => state.settled),
  )
  return states$.pipe(
    takeWhile(canRecover, true),
    map((state) => judge<A>(state, maxSkew)),
    distinctUntilChanged(isSameFault),
  )
}

/**
 * A handler that moves a leg must not have the new value overtake the one that it handles. The queue is not Rx's
 * `queueScheduler`, which is everybody's: what was behind an action that throws there would be lost, a `Left` too.
 */
const inOrder$ = (move$: Observable<Move>): Observable<Move> =>
  defer(() => move$.pipe(observeOn(createQueueScheduler())))

const movesOf$ = (leg$: Observable<Either<unknown, unknown>>, index: number): Observable<Move> =>
  leg$.pipe(
    map((latest) => arrived(index, latest, timeOf(latest))),
    endWith(ended(index)),
  )

const timeOf = (latest: Either<unknown, unknown>): number => {
  const now = asyncScheduler.now()
  if (isLeft(latest) || typeof latest.right !== 'object' || latest.right === null) return now
  const receivedAt = 'receivedAt' in latest.right ? latest.right.receivedAt : undefined
  return typeof receivedAt === 'number' && Number.isFinite(receivedAt) ? receivedAt : now
}

const isSameFault = <A>(one: Either<NotFresh, A>, other: Either<NotFresh, A>): boolean =>
  isLeft(one) &&
  isLeft(other) &&
  one.left.leg === other.left.leg &&
  one.left.why === other.left.why &&
  one.left.error === other.left.error
