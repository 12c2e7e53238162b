/// <reference lib="esnext.disposable" preserve="true" />
import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Address, Topic } from '../base/domain/topic.js'
import type { Depth } from '../base/domain/depth.js'
import type { ChainId } from '../base/domain/environment.js'
import type { Price } from '../base/domain/price.js'
import type { ClientSnapshot, ConnectionStatus } from '../base/domain/snapshot.js'
import type { DepthError, PriceError, PriceRequestError, UncorrelatedError } from '../base/errors/model.js'
import type { Stream } from '../base/time/stream.js'

/** A client without depth: on `testnet`, or without a relayer address and a key. */
export interface PriceClient extends AsyncDisposable {
  /** 42161 on mainnet, 421614 on testnet. */
  readonly chainId: ChainId
  /** State of the WebSocket: the current state on subscription, then each change. Subscribing opens no connection. */
  readonly status$: Stream<ConnectionStatus>
  /** Received messages that match no topic. Hot, without replay. */
  readonly errors$: Stream<UncorrelatedError>
  /**
   * Live prices of one topic over the shared WebSocket, in USD. A failure is a `Left`, and the stream continues. Only
   * the errors `InvalidTopic`, `SubscriptionRejected` and `ClientClosed` complete the stream.
   *
   * @example
   * client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1').subscribe(console.log)
   */
  readonly price$: (topic: Topic) => Stream<Either<PriceError, Price>>
  /**
   * One price over HTTP, in USD (section 4.2 of the service's documentation). The first call names the topic,
   * the second one sends the request. Its promise never rejects.
   *
   * @example
   * const result = await client.price('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1')() // Either<PriceRequestError, Price>
   */
  readonly price: (topic: Topic) => TaskEither<PriceRequestError, Price>
  /** State of the connection, of each topic and of each poll, as plain data for a log. */
  readonly inspect: () => ClientSnapshot
  /** Completes every stream, aborts requests and closes every socket. Resolves when the sockets are closed. Idempotent. */
  readonly close: () => Promise<void>
}

/** A client with depth. */
export interface Client extends PriceClient {
  /**
   * Order-book depth of one token by signed polling: the first request on subscription, then one every `interval` ms,
   * measured start to start. A failure is a `Left`, and polling continues. Only the errors `InvalidMint`,
   * `InvalidInterval` and `ClientClosed` complete the stream.
   *
   * Subscribers of the same mint and interval share a poll. A late subscriber receives the latest result at once. After
   * the last subscriber has left, the poll starts no request. It ends `linger` ms later, and aborts its request in
   * flight. A subscriber that joins before continues the poll.
   *
   * Failures and `Retry-After` delay the next request of the mint, for all its polls, and also after its last
   * subscriber has left. A subscriber that joins during the delay receives the last failure at once.
   */
  readonly depth$: (mint: Address, interval: number) => Stream<Either<DepthError, Depth>>
  /**
   * One signed request (section 4.1 of the service's documentation), sent by the second call: `await client.depth(mint)()`.
   * Failures of `depth$` do not delay this request, and its result changes no delay of `depth$`.
   */
  readonly depth: (mint: Address) => TaskEither<DepthError, Depth>
}
