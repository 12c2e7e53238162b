import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  catchError,
  concat,
  identity,
  isObservable,
  map,
  NEVER,
  of,
  ReplaySubject,
  share,
  startWith,
  type Observable,
} from 'rxjs'
import { clientFromStreams, withTopic } from './client-from-streams.js'
import type { Client } from '../client/client.js'
import { depthRetention, outage, priceRetention } from './retained-event.js'
import type { Depth } from '../base/domain/depth.js'
import type { Environment } from '../base/domain/environment.js'
import type { Price } from '../base/domain/price.js'
import type { ConnectionStatus, Open } from '../base/domain/snapshot.js'
import { subscriptionRejected, unsupportedPair } from '../base/errors/constructors.js'
import type { DepthError, PriceError, UncorrelatedError } from '../base/errors/model.js'
import {
  checkedOption,
  environmentOption,
  flagOption,
  plainObject,
  withDefault,
  type OptionTable,
} from '../base/option-kinds/option.js'
import { observable } from '../base/option-kinds/observable.js'
import { checkRxjs } from './other-rxjs.js'
import { parseOptions } from '../base/option-kinds/parse-options.js'
import { rxClock } from '../base/time/clock.js'
import { sharedStreams } from './shared-streams.js'

/** Streams of a test client, by topic and by mint. Values may be plain or wrapped in an `Either`. */
export interface TestClientStreams {
  readonly prices?: Readonly<Record<string, Observable<Price | Either<PriceError, Price>>>>
  readonly depths?: Readonly<Record<string, Observable<Depth | Either<DepthError, Depth>>>>
  /** Default: emits `Open` with epoch 1 and never completes. */
  readonly status$?: Observable<ConnectionStatus>
  /** Default: emits nothing. */
  readonly errors$?: Observable<UncorrelatedError>
  /** Default: `mainnet`. */
  readonly environment?: Environment
  /**
   * Sets `receivedAt` of each price and depth to the time of its emission, in ms of Rx time. For the `last` price of a
   * `Stale`, it is the time `silentForMs` before the emission. Keeps the `timestamp` of a depth. For tests of `maxAge`
   * and of ages. Default: `false`, which keeps the given values.
   */
  readonly stamp?: boolean
}

const defaultStatus: Open = { _tag: 'Open', epoch: 1, since: 0 }
const defaultStatus$: Observable<ConnectionStatus> = NEVER.pipe(startWith(defaultStatus))

/**
 * Creates a `Client` over the given observables, for tests of code that uses a client. A topic without a stream emits
 * `SubscriptionRejected`, a mint without a stream `UnsupportedPair`. Topics and mints are case-insensitive. Throws a
 * `ConfigurationError` for an invalid value, a misspelt option name, and an observable of another copy of RxJS. A
 * `TestScheduler` of this copy does not control the clocks and timers of another copy.
 *
 * As with a live client, all subscribers of a topic or a mint share one subscription to the given observable. A late
 * subscriber receives the current price, the error that replaced it, or the latest depth at once.
 * `SubscriptionRejected` completes a stream. The next subscriber subscribes to the given observable again.
 *
 * With `stamp: true`, the values have the times of their marbles, so that a test can check `maxAge` and `maxSkew`.
 *
 * @example
 * const client = createTestClient({ prices: { [topic]: hot('--a-|', { a: price(topic, 12.5) }) } })
 */
export const createTestClient = (streams: TestClientStreams = {}): Client => {
  const given = parseOptions(testClientTable, streams, { allowsUndefined: true })
  const { prices, depths, status$, errors$, environment, stamp } = given
  checkRxjs('status$', status$)
  checkRxjs('errors$', errors$)
  for (const [topic, stream$] of Object.entries(prices)) checkRxjs(`prices.${topic}`, stream$)
  for (const [mint, stream$] of Object.entries(depths)) checkRxjs(`depths.${mint}`, stream$)
  const sharedStatus$ = withLatest$(status$)
  const priceOf = sharedStreams({
    sourceOf$: (topic) =>
      find$(prices, topic, stamp ? stampPrice : identity) ?? of(left(subscriptionRejected(topic, noStream))),
    retention: priceRetention,
    updates$: sharedStatus$.pipe(
      map(retainedUnder),
      catchError(() => NEVER),
    ),
  })
  const depthOf = sharedStreams({
    sourceOf$: (mint) =>
      find$(depths, mint, stamp ? stampDepth : identity) ??
      of(left(unsupportedPair(mint, undefined, noStream))),
    retention: depthRetention,
  })
  return clientFromStreams({
    environment,
    status$: sharedStatus$,
    currentStatus: () => currentStatus(sharedStatus$),
    errors$,
    price$: (topic) => priceOf(topic).event$.pipe(map((event) => withTopic(event, topic))),
    depth$: (mint) => depthOf(mint).event$,
    lastPrice: (topic) => priceOf(topic).retained().lastPrice,
    lastDepth: (mint) => depthOf(mint).retained().lastDepth,
  })
}

/** A late subscriber receives the current status. Only closing the client ends the shared subscription. */
const withLatest$ = (status$: Observable<ConnectionStatus>): Observable<ConnectionStatus> =>
  concat(status$, NEVER).pipe(
    share({ connector: () => new ReplaySubject<ConnectionStatus>(1), resetOnRefCountZero: true }),
  )

/** The event for late subscribers of a topic after a status. An Rx error of the given `status$` reaches only its subscribers. */
const retainedUnder =
  (status: ConnectionStatus) =>
  (before: Either<PriceError, Price> | undefined): Either<PriceError, Price> | undefined =>
    status._tag === 'Waiting' ? left(outage(status.reason, status)) : before

/** The current status, if `status$` has subscribers or emits synchronously; otherwise `Open`. */
const currentStatus = (status$: Observable<ConnectionStatus>): ConnectionStatus => {
  let current: ConnectionStatus = defaultStatus
  status$
    .pipe(catchError(() => NEVER))
    .subscribe((status) => (current = status))
    .unsubscribe()
  return current
}

const noStream = 'the test client has no stream for it'

const find$ = <E, A extends object>(
  streams: Readonly<Record<string, Observable<A | Either<E, A>>>>,
  name: string,
  stamp: (event: Either<E, A>) => Either<E, A>,
): Observable<Either<E, A>> | undefined => {
  const key = Object.keys(streams).find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  const stream$ = key === undefined ? undefined : streams[key]
  return stream$?.pipe(map((value) => stamp(isEither(value) ? value : right(value))))
}

const isEither = <E, A extends object>(value: A | Either<E, A>): value is Either<E, A> =>
  '_tag' in value && ['Left', 'Right'].includes(value._tag)

// Events with the time of their emission, like those of a live client.

const stampPrice = (event: Either<PriceError, Price>): Either<PriceError, Price> =>
  isLeft(event) ? left(stampLast(event.left)) : right(receivedAt(event.right, rxClock.wallClock()))

const stampDepth = (event: Either<DepthError, Depth>): Either<DepthError, Depth> =>
  isLeft(event) ? event : right(receivedAt(event.right, rxClock.wallClock()))

/** The last price of a `Stale` was received when its silence began. */
const stampLast = (error: PriceError): PriceError =>
  error._tag === 'Stale' && error.last !== undefined
    ? { ...error, last: receivedAt(error.last, rxClock.wallClock() - error.silentForMs) }
    : error

const receivedAt = <A extends Price | Depth>(value: A, ms: number): A => ({ ...value, receivedAt: ms })

const streamOption = <A>(fallback$: Observable<A>) =>
  withDefault(checkedOption<Observable<A>>('object', observable), fallback$)

const streamsOption = <A>() =>
  withDefault(
    checkedOption<Readonly<Record<string, Observable<A>>>>('object', {
      expected: 'an object of observables',
      holds: (value) =>
        plainObject.holds(value) &&
        Object.values(value as object).every((each) => each === undefined || isObservable(each)),
    }),
    {},
  )

const testClientTable = {
  prices: streamsOption<Price | Either<PriceError, Price>>(),
  depths: streamsOption<Depth | Either<DepthError, Depth>>(),
  status$: streamOption<ConnectionStatus>(defaultStatus$),
  errors$: streamOption<UncorrelatedError>(NEVER),
  environment: withDefault(environmentOption, 'mainnet'),
  stamp: flagOption(false),
} satisfies OptionTable<TestClientStreams>
