import { isLeft, isRight, right, type Either, type Left, type Right } from 'fp-ts/lib/Either.js'
import {
  defer,
  filter,
  map,
  mergeMap,
  of,
  switchMap,
  takeWhile,
  tap,
  throwError,
  type MonoTypeOperatorFunction,
  type Observable,
  type ObservableInput,
  type ObservedValueOf,
  type Subscriber,
} from 'rxjs'

// Operators like those of RxJS, for the `Right`s or the `Left`s of a stream.

/**
 * An RxJS operator whose source emits `Either`s. It is the type of a method, because TypeScript then infers `E` and `A` as unions
 * from the union that `merge(price$, depth$)` emits. From a function type such as `OperatorFunction`, it infers intersections.
 */
export type EitherOperator<E, A, B> = {
  operator$(source$: Observable<Either<E, A>>): Observable<B>
}['operator$']

/** The error type of an `Either`, or of a union of `Either`s. */
export type ErrorOf<Event> = Event extends Left<infer E> ? E : never

/** The value type of an `Either`, or of a union of `Either`s. */
export type ValueOf<Event> = Event extends Right<infer A> ? A : never

/**
 * Emits the value of each `Right` and drops every `Left`. Passes Rx errors and completion through. A value is current when it
 * is emitted, and nothing shows when it is no longer: act on it at once, as after `combineFresh`, but do not keep it to trade
 * on it later.
 *
 * ```
 * source  -a-L-b-|     L: Left
 * rights  -a---b-|
 * ```
 *
 * @example
 * client.price$(topic).pipe(rights()) // Observable<Price>
 */
export const rights = <E, A>(): EitherOperator<E, A, A> => {
  return (source$) =>
    source$.pipe(
      filter(isRight),
      map((value) => value.right),
    )
}

/**
 * Emits the error of each `Left` and drops the values. Passes Rx errors and completion through. The source may merge
 * streams with different errors.
 *
 * ```
 * source  -a-L-b-|     L: Left(e)
 * lefts   ---e---|
 * ```
 *
 * @example
 * import { merge } from 'rxjs'
 * const [price$, depth$] = [client.price$(topic), client.depth$(mint, 1000)]
 * merge(price$, depth$).pipe(lefts()).subscribe((error) => log(renderError(error)))
 */
export const lefts = <E, A>(): EitherOperator<E, A, E> => {
  return (source$) =>
    source$.pipe(
      filter(isLeft),
      map((value) => value.left),
    )
}

/**
 * Maps the value of each `Right` with `f` and passes each `Left` through unchanged. An exception from `f` becomes an Rx
 * error, as in RxJS's `map`.
 *
 * ```
 * source       -a-L-b-|     L: Left
 * mapRight(f)  -x-L-y-|     x: f(a), y: f(b)
 * ```
 *
 * @example
 * client.price$(topic).pipe(mapRight((price) => price.price)) // Observable<Either<PriceError, number>>
 */
export const mapRight =
  <E, A, B>(f: (value: A) => B): EitherOperator<E, A, Either<E, B>> =>
  (source$) =>
    source$.pipe(map((value) => (isLeft(value) ? value : right(f(value.right)))))

/**
 * Calls `f` with the error of each `Left`, before the `Left` is emitted. Passes all events through unchanged. An
 * exception from `f` becomes an Rx error, as in RxJS's `tap`.
 *
 * ```
 * source      -a-L-b-|     L: Left(e)
 * tapLeft(f)  -a-L-b-|     f(e) is called at L
 * ```
 *
 * @example
 * client.price$(topic).pipe(tapLeft((error) => log(renderError(error))), rights())
 */
export const tapLeft =
  <Event extends Either<E, unknown>, E = ErrorOf<Event>>(
    f: (error: E) => void,
  ): MonoTypeOperatorFunction<Event> =>
  (source$) =>
    source$.pipe(
      tap((event) => {
        if (isLeft(event)) f(event.left)
      }),
    )

/**
 * Emits each `Right` whose value passes the predicate, and each `Left` unchanged. A type guard as the predicate narrows
 * the type of the values. An exception from the predicate becomes an Rx error, as in RxJS's `filter`.
 *
 * ```
 * source          -a-L-b-c-|     L: Left
 * filterRight(p)  -a-L---c-|     p(a) and p(c) are true, p(b) is false
 * ```
 *
 * @example
 * client.price$(topic).pipe(filterRight(({ price }) => price > 2000)) // Observable<Either<PriceError, Price>>
 */
export function filterRight<E, A, B extends A>(
  predicate: (value: A) => value is B,
): EitherOperator<E, A, Either<E, B>>
export function filterRight<Event extends Either<unknown, A>, A = ValueOf<Event>>(
  predicate: (value: A) => boolean,
): MonoTypeOperatorFunction<Event>
export function filterRight<Event extends Either<unknown, A>, A>(
  predicate: (value: A) => boolean,
): MonoTypeOperatorFunction<Event> {
  return (source$) => source$.pipe(filter((event) => isLeft(event) || predicate(event.right)))
}

/**
 * Accumulates the values: emits `f(state, value)` for each `Right`, where `state` is the previous result, at first
 * `seed`. Passes each `Left` through unchanged and keeps the state. The seed is not emitted. Each subscriber has its own
 * state. An exception from `f` becomes an Rx error, as in RxJS's `scan`.
 *
 * ```
 * source                -a-L-b-|     L: Left
 * scanRight(f, seed)    -x-L-y-|     x: f(seed, a), y: f(x, b)
 * ```
 *
 * @example
 * client.price$(topic).pipe(scanRight((highest, { price }) => Math.max(highest, price), 0)) // Observable<Either<PriceError, number>>
 */
export const scanRight =
  <E, A, S>(f: (state: S, value: A) => S, seed: S): EitherOperator<E, A, Either<E, S>> =>
  (source$) =>
    defer(() => {
      let state = seed
      return source$.pipe(
        map((event) => {
          if (isLeft(event)) return event
          state = f(state, event.right)
          return right(state)
        }),
      )
    })

/** Ends when the subscriber unsubscribes. Without it, a synchronous source of an own `Observable` is read to its end. */
export const whileOpen = <A>(subscriber: Subscriber<unknown>): MonoTypeOperatorFunction<A> =>
  takeWhile(() => !subscriber.closed)

type Events = ObservableInput<Either<unknown, unknown>>
type ErrorFrom<O extends Events> = ErrorOf<ObservedValueOf<O>>
type ValueFrom<O extends Events> = ValueOf<ObservedValueOf<O>>

/**
 * Subscribes to the stream that `f` returns for each `Right`, and emits its events until the next event of the source.
 * A `Left` of the source ends the current inner stream, then passes through. A `Left` of the inner stream passes
 * through and does not end the inner stream. Completes when the source and the last inner stream have completed. An
 * exception from `f` and an Rx error of an inner stream become Rx errors, as in RxJS's `switchMap`.
 *
 * ```
 * source             -a----b--L---c---|     L: Left
 * switchMapRight(f)  --1-2--1-L----1-2-3|   f(a), f(b), f(c): -1-2-3|
 * ```
 *
 * @example
 * import { timer, map } from 'rxjs'
 * // The depth, polled while the price is current. Each price continues the poll of the previous price: one request per second.
 * client.price$(topic).pipe(switchMapRight(() => client.depth$(mint, 1000)))
 */
export const switchMapRight =
  <E, A, O extends Events>(
    f: (value: A) => O,
  ): EitherOperator<E, A, Either<E | ErrorFrom<O>, ValueFrom<O>>> =>
  (source$) =>
    source$.pipe(
      switchMap((event): ObservableInput<Either<E | ErrorFrom<O>, ValueFrom<O>>> =>
        isLeft(event) ? of(event) : (f(event.right) as ObservableInput<Either<ErrorFrom<O>, ValueFrom<O>>>),
      ),
    )

/**
 * Emits the value of each `Right`. The first `Left` ends the stream: its error becomes the Rx error, unchanged. Use
 * `orThrow` with `retry`, `catchError`, or promises.
 *
 * ```
 * source   -a-L-b-|     L: Left(e)
 * orThrow  -a-#         #: e
 * ```
 *
 * A retry needs a delay. From a `Left` to the next price, `price$` emits it to each new subscriber immediately.
 * `depth$` sends no request before the wait after a failure ends, and emits the failure to each new subscriber in a
 * later event-loop turn. A closed client emits `ClientClosed` to every subscriber, so such a retry never ends.
 *
 * @example
 * import { retry } from 'rxjs'
 * client.price$(topic).pipe(orThrow(), retry({ delay: 1000 })) // Observable<Price>
 */
export const orThrow = <E, A>(): EitherOperator<E, A, A> => {
  return (source$) =>
    source$.pipe(mergeMap((value) => (isLeft(value) ? throwError(() => value.left) : of(value.right))))
}
