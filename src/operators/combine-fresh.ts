import type { Either } from 'fp-ts/lib/Either.js'
import { EMPTY, Observable, type ObservedValueOf } from 'rxjs'
import type { NotFresh } from '../errors/model.js'
import { parsedOption, required, type OptionTable } from '../option-kinds/option.js'
import { parseOptions, type Surface } from '../option-kinds/parse-options.js'
import { checkMs } from './check-ms.js'
import { Combination } from './combination.js'
import type { ErrorOf } from './either.js'

/** Options of `combineFresh`. */
export interface CombineFreshOptions {
  /**
   * Maximum age difference between the newest leg and any other leg, in ms: a finite number of at least 0. Any other
   * value throws a `ConfigurationError`.
   */
  readonly maxSkew: number
}

/** One stream for each field of the record `A`. The streams may have different errors. */
export type FreshLegs<A extends object> = { readonly [K in keyof A]: Observable<Either<unknown, A[K]>> }

type LegOf<A extends object> = `${Exclude<keyof A, symbol>}`
type LegErrorOf<Legs extends FreshLegs<object>> = ErrorOf<ObservedValueOf<Legs[keyof Legs]>>

/**
 * Combines the latest values of several streams (legs) into one record, while all of them are current. If a leg has no
 * value yet, has a `Left`, or is more than `maxSkew` ms older than the newest leg, emits a `Left<NotFresh>` that names
 * the leg.
 *
 * ```
 * a                            -1-----3---4----|
 * b                            ---x-L---y------|     L: Left(e)
 * combineFresh({ a: a$, … })   ml-r-n---s-t----|
 *                              m: missing a   l: missing b   r: { a: 1, b: x }
 *                              n: left b (e)  s: { a: 3, b: y }  t: { a: 4, b: y }
 * ```
 *
 * - The time of a value is its `receivedAt`, or its arrival if it has none. Ages are compared only when a leg emits:
 *   time alone emits nothing. For silence, use the `Stale` of `price$` or `freshWithin`. `receivedAt` is wall-clock
 *   time: if the clock is set back, a silent leg looks younger by that amount until its `Stale`, which does not depend
 *   on the wall clock.
 * - The first event is emitted when all legs are subscribed, and includes the values that they emit synchronously. Then
 *   each change of a leg emits an event, except a `Left` with the same leg, `why` and `error` as the previous one.
 * - If several legs have no value, `NotFresh` names the first in the order of the record's keys. If all have values, it
 *   names the first that is too old.
 * - A leg that completes after a value keeps the value, until `maxSkew` applies. A leg that completes without a value
 *   or after a `Left` is lost: the combination emits a `Left` that names it, and completes. The combination also
 *   completes when all legs have completed; without legs, immediately.
 * - Events keep their order, even if a handler of an event makes a leg emit. An Rx error of a leg is passed through.
 *
 * @example
 * const both$ = combineFresh({ eth: client.price$(eth), btc: client.price$(btc) }, { maxSkew: 2000 })
 * // Observable<Either<NotFresh<"eth" | "btc", PriceError>, { eth: Price; btc: Price }>>
 */
// eslint-disable-next-line rxjs-x/finnish -- named as Rx names its own, such as combineLatest
export const combineFresh = <A extends object, Legs extends FreshLegs<A> = FreshLegs<A>>(
  legs: FreshLegs<A> & Legs,
  options: CombineFreshOptions,
): Observable<Either<NotFresh<LegOf<A>, LegErrorOf<Legs>>, A>> => {
  const { maxSkew } = parseOptions(optionTable, options, surface)
  checkMs('combineFresh', 'maxSkew', maxSkew)
  const keys = Object.keys(legs) as (keyof A & string)[]
  if (keys.length === 0) return EMPTY
  const legs$ = keys.map((key) => legs[key])
  return new Observable<Either<NotFresh, object>>((subscriber) =>
    new Combination(subscriber, keys, maxSkew).subscribeTo(legs$),
  ) as Observable<Either<NotFresh<LegOf<A>, LegErrorOf<Legs>>, A>>
}

/** `checkMs` checks the value. */
const optionTable = {
  maxSkew: required(parsedOption<number>('number', 'a finite number of ms')),
} satisfies OptionTable<CombineFreshOptions>

const surface: Surface = { expected: 'an object like { maxSkew: 2000 }', allowsUndefined: true }
