import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { concat, isObservable, map, NEVER, of, startWith, type Observable } from 'rxjs'
import { clientFromStreams } from '../client/client-from-streams.js'
import type { Client } from '../client/client.js'
import type { Depth } from '../domain/depth.js'
import type { Environment } from '../domain/environment.js'
import type { Price } from '../domain/price.js'
import type { ConnectionStatus, Open } from '../domain/status.js'
import { subscriptionRejected, unsupportedPair } from '../errors/constructors.js'
import type { DepthError, PriceError, UncorrelatedError } from '../errors/model.js'
import { plainObject } from '../option-kinds/check.js'
import { checkAll } from '../option-kinds/check-options.js'
import { environmentOption } from '../option-kinds/environment-option.js'
import { checkedOption, type OptionTable } from '../option-kinds/option.js'

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
}

const defaultStatus: Open = { _tag: 'Open', epoch: 1, since: 0 }
const defaultStatus$: Observable<ConnectionStatus> = NEVER.pipe(startWith(defaultStatus))

/**
 * Creates a `Client` over the given observables, for tests of code that uses a client. A topic without a stream emits
 * `SubscriptionRejected`, a mint without a stream `UnsupportedPair`. Topics and mints are case-insensitive. Throws a
 * `ConfigurationError` for an invalid value and a misspelt name of an option.
 *
 * @example
 * const client = createTestClient({ prices: { [topic]: hot('--a-|', { a: price(topic, 12.5) }) } })
 */
export const createTestClient = (streams: TestClientStreams = {}): Client => {
  checkAll(streams, testClientTable)
  const {
    prices = {},
    depths = {},
    status$ = defaultStatus$,
    errors$ = NEVER,
    environment = environmentOption.default,
  } = streams
  return clientFromStreams({
    environment,
    // Like a live client: only closing it completes the stream.
    status$: concat(status$, NEVER),
    currentStatus: () => currentStatus(status$),
    errors$,
    price$: (topic) => find$(prices, topic) ?? of(left(subscriptionRejected(topic, noStream))),
    depth$: (mint) => find$(depths, mint) ?? of(left(unsupportedPair(mint, undefined, noStream))),
  })
}

/** The status that the stream emits synchronously, otherwise `Open`. */
const currentStatus = (status$: Observable<ConnectionStatus>): ConnectionStatus => {
  let current: ConnectionStatus = defaultStatus
  status$.subscribe((status) => (current = status)).unsubscribe()
  return current
}

const noStream = 'the test client has no stream for it'

const find$ = <E, A extends object>(
  streams: Readonly<Record<string, Observable<A | Either<E, A>>>>,
  name: string,
): Observable<Either<E, A>> | undefined => {
  const key = Object.keys(streams).find((candidate) => candidate.toLowerCase() === name.toLowerCase())
  const stream$ = key === undefined ? undefined : streams[key]
  return stream$?.pipe(map((value) => (isEither(value) ? value : right(value))))
}

const isEither = <E, A extends object>(value: A | Either<E, A>): value is Either<E, A> =>
  '_tag' in value && ['Left', 'Right'].includes(value._tag)

const streamOption = (meaning: string) =>
  checkedOption<never>('object', { expected: 'an observable', holds: isObservable }, { meaning })

const streamsOption = (meaning: string) =>
  checkedOption<never>(
    'object',
    {
      expected: 'an object of observables',
      holds: (value) =>
        plainObject.holds(value) &&
        Object.values(value as object).every((each) => each === undefined || isObservable(each)),
    },
    { meaning },
  )

const testClientTable = {
  prices: streamsOption('Price streams by topic'),
  depths: streamsOption('Depth streams by mint'),
  status$: streamOption('States of the connection'),
  errors$: streamOption('Uncorrelated errors'),
  environment: environmentOption,
} satisfies OptionTable<TestClientStreams>
