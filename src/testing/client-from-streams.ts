import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concat, defaultIfEmpty, defer, EMPTY, filter, map, Observable, of, take } from 'rxjs'
import { validatedDepth$ } from '../client/depth/polls.js'
import { type Address, defaultService, isTopicOfAnyService, type Topic } from '../base/domain/topic.js'
import type { Depth } from '../base/domain/depth.js'
import { chainIds, type Environment } from '../base/domain/environment.js'
import type { Price } from '../base/domain/price.js'
import type { ConnectionStatus } from '../base/domain/snapshot.js'
import { clientClosed, invalidTopic, networkError } from '../base/errors/constructors.js'
import type {
  ClientClosed,
  DepthError,
  InvalidTopic,
  NetworkError,
  PriceError,
  UncorrelatedError,
} from '../base/errors/model.js'
import { asText } from '../base/errors/text.js'
import type { CancellableTask } from '../base/task/cancellable-task.js'
import { toStream$ } from '../base/time/stream.js'
import type { Client } from '../client/client.js'
import { Lifetime } from '../client/lifetime.js'
import type { LastDepth, LastPrice } from './retained-event.js'

/** The streams of a client without a connection: a test client or a replay. */
export interface ClientStreams {
  readonly environment: Environment
  /** Each event has the topic as given here. */
  readonly price$: (topic: Topic) => Observable<Either<PriceError, Price>>
  readonly depth$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>
  /** Called only for a topic or a mint with subscribers. */
  readonly lastPrice: (topic: Topic) => LastPrice
  readonly lastDepth: (mint: Address, interval: number) => LastDepth
  /** `Closed` is emitted when the client is closed. */
  readonly status$: Observable<ConnectionStatus>
  readonly currentStatus: () => ConnectionStatus
  readonly errors$: Observable<UncorrelatedError>
  /** Called once, when the client is closed. Must call `completeStreams`. Default: calls only `completeStreams`. */
  readonly onClose?: (completeStreams: () => void) => void
}

const closedStatus: ConnectionStatus = { _tag: 'Closed' }

/** The `Client` interface over given streams, with the contract of a live client: validation, spelling, closing. */
export const clientFromStreams = (streams: ClientStreams): Client => {
  const { onClose = (completeStreams: () => void) => completeStreams() } = streams
  const lifetime = new Lifetime()
  const topics = new Subscribers<Topic>()
  const polls = new Subscribers<{ readonly mint: Address; readonly interval: number }>()
  let closing: Promise<void> | undefined

  const price$ = (topic: Topic) => validatedPrice$(topic, () => streams.price$(topic))

  const firstPrice$ = (topic: Topic) =>
    validatedPrice$(topic, () =>
      price$(topic).pipe(
        filter(isRight),
        map(({ right: price }) => right({ ...price, topic, epoch: 0 })),
        defaultIfEmpty(left(networkError(new Error(`the stream of ${topic} ended without a price`)))),
      ),
    )

  const depth$ = (mint: Address, interval: number) => validatedDepth$(mint, interval, streams.depth$)

  const close = (): Promise<void> => {
    if (closing !== undefined) return closing
    closing = Promise.resolve()
    onClose(() => lifetime.close())
    return closing
  }

  const closedStatus$ = defer(() => (closing === undefined ? EMPTY : of(closedStatus)))

  return {
    chainId: chainIds[streams.environment],
    status$: toStream$(concat(lifetime.until$(streams.status$), closedStatus$)),
    errors$: lifetime.until$(streams.errors$),
    price$: (topic) => lifetime.whileOpen$(topics.counted$(keyOf(topic), topic, price$(topic))),
    price: (topic) => lifetime.once(firstValue(firstPrice$(topic))),
    depth$: (mint, interval) => {
      const key = `${keyOf(mint)} ${asText(interval)}`
      return lifetime.whileOpen$(polls.counted$(key, { mint, interval }, depth$(mint, interval)))
    },
    depth: (mint) => lifetime.once(firstValue(depth$(mint, 1))),
    inspect: () => ({
      status: closing === undefined ? streams.currentStatus() : closedStatus,
      lines: [],
      topics: topics.map((topic, subscribers) => ({ topic, subscribers, ...streams.lastPrice(topic) })),
      polls: polls.map((poll, subscribers) => ({
        ...poll,
        subscribers,
        ...streams.lastDepth(poll.mint, poll.interval),
      })),
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The contract of every `price$`: an invalid topic is a Left followed by completion. */
const validatedPrice$ = <E>(
  topic: Topic,
  priceOf$: () => Observable<Either<E, Price>>,
): Observable<Either<E | InvalidTopic, Price>> =>
  // A client from given streams has no service name.
  isTopicOfAnyService(topic) ? priceOf$() : of(left(invalidTopic(topic, defaultService)))

/** Gives an event the topic as a caller wrote it. */
export const withTopic = (event: Either<PriceError, Price>, topic: Topic): Either<PriceError, Price> => {
  if (isRight(event)) return event.right.topic === topic ? event : right({ ...event.right, topic })
  return 'topic' in event.left && event.left.topic !== topic ? left({ ...event.left, topic }) : event
}

/** The first value of a stream. `ClientClosed` if the stream completes without a value. */
const firstValue =
  <E, A>(source$: Observable<Either<E, A>>): CancellableTask<Either<E | NetworkError | ClientClosed, A>> =>
  (onResult) => {
    const subscription = source$
      .pipe(
        take(1),
        catchError((thrown) => of(left(networkError(thrown)))),
        defaultIfEmpty(left(clientClosed)),
      )
      .subscribe(onResult)
    return () => subscription.unsubscribe()
  }

/** The subscribers of each stream, for `inspect()`. */
class Subscribers<Name> {
  private readonly streams = new Map<string, { readonly name: Name; subscribers: number }>()

  /** `name`: as the first subscriber writes it. */
  counted$<A>(key: string, name: Name, source$: Observable<A>): Observable<A> {
    const { streams } = this
    return new Observable((subscriber) => {
      const stream = streams.get(key) ?? { name, subscribers: 0 }
      streams.set(key, stream)
      stream.subscribers++
      source$.subscribe(subscriber)
      return () => {
        stream.subscribers--
        if (stream.subscribers === 0) streams.delete(key)
      }
    })
  }

  map<B>(use: (name: Name, subscribers: number) => B): readonly B[] {
    return Array.from(this.streams.values(), ({ name, subscribers }) => use(name, subscribers))
  }
}

/** Accepts any value, which a caller in plain JavaScript may pass. */
const keyOf = (name: unknown): string => asText(name).toLowerCase()
