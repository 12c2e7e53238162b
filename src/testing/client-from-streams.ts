import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  catchError,
  concat,
  defaultIfEmpty,
  defer,
  EMPTY,
  filter,
  identity,
  map,
  Observable,
  of,
  Subscriber,
  take,
} from 'rxjs'
import { validatedDepth$ } from '../client/depth/polls.js'
import { type Address, defaultService, isTopicOfAnyService, type Topic } from '../base/domain/topic.js'
import type { Depth } from '../base/domain/depth.js'
import { chainIds, type Environment } from '../base/domain/environment.js'
import type { Price } from '../base/domain/price.js'
import {
  resultOf,
  type PollSnapshot,
  type StreamEvent,
  type TopicSnapshot,
  type TopicState,
  type ConnectionStatus,
} from '../base/domain/snapshot.js'
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
import { topicStateOf } from '../base/errors/topic-state.js'
import type { CancellableTask } from '../base/task/cancellable-task.js'
import { rxClock } from '../base/time/clock.js'
import { toStream$ } from '../base/time/stream.js'
import type { Client } from '../client/client.js'
import { Lifetime } from '../client/lifetime.js'

/** The streams of a client without a connection: a test client or a replay. */
export interface ClientStreams {
  readonly environment: Environment
  readonly price$: (topic: Topic) => Observable<Either<PriceError, Price>>
  readonly depth$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>
  /** `Closed` is emitted when the client is closed. */
  readonly status$: Observable<ConnectionStatus>
  readonly currentStatus: () => ConnectionStatus
  readonly errors$: Observable<UncorrelatedError>
  /** The monotonic clock of `inspect`, in ms. Default: that of RxJS. */
  readonly elapsed?: () => number
  /** Called once, when the client is closed. Must call `completeStreams`. Default: calls only `completeStreams`. */
  readonly onClose?: (completeStreams: () => void) => void
}

const closedStatus: ConnectionStatus = { _tag: 'Closed' }

/** The `Client` interface over given streams, with the contract of a live client: validation, spelling, closing. */
export const clientFromStreams = (streams: ClientStreams): Client => {
  const { onClose = (completeStreams: () => void) => completeStreams() } = streams
  const lifetime = new Lifetime()
  const stats = new StreamStats(streams.elapsed ?? rxClock.elapsed)
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
    price$: (topic) => lifetime.whileOpen$(stats.price$(topic, price$(topic), withTopic(topic))),
    price: (topic) => lifetime.once(firstValue(firstPrice$(topic))),
    depth$: (mint, interval) => lifetime.whileOpen$(stats.depth$(mint, interval, depth$(mint, interval))),
    depth: (mint) => lifetime.once(firstValue(depth$(mint, 1))),
    inspect: () => ({
      status: closing === undefined ? streams.currentStatus() : closedStatus,
      lines: [],
      topics: stats.topics(),
      polls: stats.polls(),
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

/** Gives each event the topic as the caller wrote it. */
const withTopic =
  (topic: Topic) =>
  (event: Either<PriceError | InvalidTopic, Price>): Either<PriceError | InvalidTopic, Price> => {
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

/** Counts subscribers and remembers the last event of each stream, for `inspect()`. */
export class StreamStats {
  /** `elapsed`: monotonic, in ms. */
  constructor(private readonly elapsed: () => number) {}

  private readonly prices = new Map<string, CountedStream<Topic>>()
  private readonly depths = new Map<string, CountedStream<Mint>>()

  /** `spelt`: the event as its subscriber receives it. */
  price$<A extends StreamEvent>(
    topic: Topic,
    source$: Observable<A>,
    spelt: (event: A) => A = identity,
  ): Observable<A> {
    return this.counted$(this.prices, keyOf(topic), topic, source$, spelt)
  }

  depth$<A extends StreamEvent>(mint: Address, interval: number, source$: Observable<A>): Observable<A> {
    const key = `${keyOf(mint)} ${asText(interval)}`
    return this.counted$(this.depths, key, { mint, interval }, source$, identity)
  }

  topics(): readonly TopicSnapshot[] {
    return [...this.prices.values()].map(({ of: topic, subscribers, last, valueAt }) => ({
      topic,
      subscribers,
      state: stateAfter(last, valueAt),
      lastPriceAgeMs: this.ageOf(valueAt),
    }))
  }

  polls(): readonly PollSnapshot[] {
    return [...this.depths.values()].map(({ of, subscribers, last, lastAt }) => ({
      ...of,
      subscribers,
      lastResult: resultOf(last),
      lastResultAgeMs: this.ageOf(lastAt),
    }))
  }

  private ageOf(time: number): number | null {
    return Number.isNaN(time) ? null : Math.round(this.elapsed() - time)
  }

  private counted$<A extends StreamEvent, N>(
    streams: Map<string, CountedStream<N>>,
    key: string,
    of: N,
    source$: Observable<A>,
    spelt: (event: A) => A,
  ): Observable<A> {
    return new Observable((subscriber) => {
      const stream = streams.get(key) ?? { of, subscribers: 0, last: undefined, lastAt: NaN, valueAt: NaN }
      streams.set(key, stream)
      stream.subscribers++
      const counted = new CountingSubscriber(subscriber, stream, spelt, this.elapsed)
      source$.subscribe(counted)
      counted.isRepeated = false
      return () => {
        stream.subscribers--
        if (stream.subscribers === 0) streams.delete(key)
      }
    })
  }
}

/** Counts each event. Not `map`, because a sweep runs it for each row and parameter. */
class CountingSubscriber<A extends StreamEvent> extends Subscriber<A> {
  /** A later subscriber first receives the last event again. */
  isRepeated: boolean

  constructor(
    private readonly subscriber: Subscriber<A>,
    private readonly stream: CountedStream<unknown>,
    private readonly spelt: (event: A) => A,
    private readonly elapsed: () => number,
  ) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- RxJS 7 exports no other class for operators
    super(subscriber)
    this.isRepeated = stream.last !== undefined
  }

  override next(event: A): void {
    if (this.closed) return
    if (!this.isRepeated) count(this.stream, event, this.elapsed())
    this.subscriber.next(this.spelt(event))
  }
}

type Mint = Pick<PollSnapshot, 'mint' | 'interval'>

/** Times are monotonic, in ms; NaN for none. */
interface CountedStream<N> {
  /** As the first subscriber wrote it. */
  readonly of: N
  subscribers: number
  last: StreamEvent | undefined
  lastAt: number
  /** When the last value of this connection came. */
  valueAt: number
}

const count = (stream: CountedStream<unknown>, event: StreamEvent, at: number): void => {
  stream.last = event
  stream.lastAt = at
  if (isRight(event)) stream.valueAt = at
  else if (endsConnection(stateAfter(event, stream.valueAt))) stream.valueAt = NaN
}

const endsConnection = (state: TopicState): boolean => state === 'down' || state === 'waiting'

const stateAfter = (last: StreamEvent | undefined, valueAt: number): TopicState => {
  if (last === undefined) return 'waiting'
  return isLeft(last) ? topicStateOf(last.left, !Number.isNaN(valueAt)) : 'live'
}

/** Accepts any value, which a caller in plain JavaScript may pass. */
const keyOf = (name: unknown): string => asText(name).toLowerCase()
