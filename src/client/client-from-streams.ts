import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concat, defaultIfEmpty, filter, map, NEVER, of, take, type Observable } from 'rxjs'
import { checkedDepth$ } from '../depth/validate.js'
import type { Address } from '../domain/address.js'
import type { Depth } from '../domain/depth.js'
import { chainIds, type Environment } from '../domain/environment.js'
import type { Price } from '../domain/price.js'
import type { ConnectionStatus } from '../domain/status.js'
import { defaultService, isTopicOfAnyService, type Topic } from '../domain/topic.js'
import { clientClosed, invalidTopic, networkError } from '../errors/constructors.js'
import type {
  ClientClosed,
  DepthError,
  InvalidTopic,
  NetworkError,
  PriceError,
  UncorrelatedError,
} from '../errors/model.js'
import type { CancellableTask } from '../task/cancellable-task.js'
import type { Client } from './client.js'
import { Lifetime } from './lifetime.js'
import { StreamStats } from './stream-stats.js'

/** What a client without a service is made of. */
export interface ClientStreams {
  readonly environment: Environment
  readonly price$: (topic: Topic) => Observable<Either<PriceError, Price>>
  readonly depth$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>
  readonly status$: Observable<ConnectionStatus>
  /** The current one. */
  readonly status: () => ConnectionStatus
  readonly errors$: Observable<UncorrelatedError>
  /** Called once, when the client is closed. */
  readonly closed?: () => void
}

// The streams of a client keep its promises whoever gives them: bad input is a `Left`, names are as they were written.

const checkedPrice$ = <E>(
  topic: Topic,
  priceOf$: () => Observable<Either<E, Price>>,
): Observable<Either<E | InvalidTopic, Price>> =>
  isTopicOfAnyService(topic) ? priceOf$() : of(left(invalidTopic(topic, defaultService)))

const spelledAs = (topic: Topic, event: Either<PriceError, Price>): Either<PriceError, Price> => {
  if (isRight(event)) return event.right.topic === topic ? event : right({ ...event.right, topic })
  return 'topic' in event.left && event.left.topic !== topic ? left({ ...event.left, topic }) : event
}

const closedStatus: ConnectionStatus = { _tag: 'Closed' }

/** The `Client` interface over given streams: what is written for a client cannot tell. */
export const clientFromStreams = (given: ClientStreams): Client => {
  const lifetime = new Lifetime()
  const watch = new StreamStats()
  let closing: Promise<void> | undefined

  const price$ = (topic: Topic) =>
    checkedPrice$(topic, () => given.price$(topic).pipe(map((event) => spelledAs(topic, event))))

  const firstPrice$ = (topic: Topic) =>
    checkedPrice$(topic, () =>
      price$(topic).pipe(
        filter(isRight),
        map(({ right: price }) => right({ ...price, epoch: 0 })),
        defaultIfEmpty(left(networkError(new Error(`the stream of ${topic} ended without a price`)))),
      ),
    )

  const depth$ = (mint: Address, interval: number) => checkedDepth$(mint, interval, given.depth$)

  const close = (): Promise<void> => {
    if (closing !== undefined) return closing
    closing = Promise.resolve()
    lifetime.end()
    given.closed?.()
    return closing
  }

  return {
    chainId: chainIds[given.environment],
    status$: concat(lifetime.until$(concat(given.status$, NEVER)), of(closedStatus)),
    errors$: lifetime.until$(given.errors$),
    price$: (topic) => lifetime.whileOpen$(watch.price$(topic, price$(topic))),
    price: (topic) => lifetime.once(firstOf(firstPrice$(topic))),
    depth$: (mint, interval) => lifetime.whileOpen$(watch.depth$(mint, interval, depth$(mint, interval))),
    depth: (mint) => lifetime.once(firstOf(depth$(mint, 1))),
    inspect: () => ({
      status: closing === undefined ? given.status() : closedStatus,
      topics: watch.topics(),
      polls: watch.polls(),
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The first value of a stream; one that ends without a value is that of a client that is closed. */
const firstOf =
  <E, A>(source$: Observable<Either<E, A>>): CancellableTask<Either<E | NetworkError | ClientClosed, A>> =>
  (answered) => {
    const asking = source$
      .pipe(
        take(1),
        catchError((thrown) => of(left(networkError(thrown)))),
        defaultIfEmpty(left(clientClosed)),
      )
      .subscribe(answered)
    return () => asking.unsubscribe()
  }
