/// <reference lib="esnext.disposable" preserve="true" />
import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Observable } from 'rxjs'
import { onAbort } from './abort.js'
import { configure, type Configuration } from './config.js'
import type { Address } from './domain/address.js'
import type { Depth } from './domain/depth.js'
import type { ChainId } from './domain/environment.js'
import type { Price } from './domain/price.js'
import type { ClientSnapshot } from './domain/snapshot.js'
import type { ConnectionStatus } from './domain/status.js'
import type { Topic } from './domain/topic.js'
import { ConfigurationError } from './errors/configuration-error.js'
import type { DepthError, PriceError, PriceRequestError, UncorrelatedError } from './errors/model.js'
import type { ClientOptions, DepthClientOptions } from './options.js'
import type { BackoffPolicy } from './stream/backoff.js'
import { DepthPolls } from './stream/depth.js'
import { DepthRequests, type DepthRequestConfig } from './stream/depth-request.js'
import { Lifetime } from './stream/lifetime.js'
import { priceRequest } from './stream/price-request.js'
import { PriceFeed } from './stream/price.js'
import { timeHere, type InTime } from './time/virtual-time.js'
import { undiciTransport } from './transport/undici.js'
import { wsTransport } from './transport/ws.js'

/** A client without depth: on `testnet`, or without a relayer address and a key. */
export interface PriceClient extends AsyncDisposable {
  /** 42161 on mainnet, 421614 on testnet. */
  readonly chainId: ChainId
  /** The WebSocket's state: the current one at once, then each change. Subscribing to it opens nothing. */
  readonly status$: Observable<ConnectionStatus>
  /** What arrived and belongs to no topic. Hot, without replay. */
  readonly errors$: Observable<UncorrelatedError>
  /**
   * Live prices of one topic over the one shared WebSocket, in USD. What goes wrong is a `Left` in the stream, and
   * the stream goes on; only `InvalidTopic`, `SubscriptionRejected` and `ClientClosed` are followed by completion.
   *
   * @example
   * client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1').subscribe(console.log)
   */
  readonly price$: (topic: Topic) => Observable<Either<PriceError, Price>>
  /** One price over HTTP, in USD, requested when the task is run (section 4.2 of the service's documentation). */
  readonly price: (topic: Topic) => TaskEither<PriceRequestError, Price>
  /** What the client is doing, as plain data for a log. */
  readonly inspect: () => ClientSnapshot
  /** Completes every stream, aborts requests, closes the socket; resolves when all is gone. Idempotent. */
  readonly close: () => Promise<void>
}

/** A client with depth. */
export interface Client extends PriceClient {
  /**
   * Order-book depth of one token by signed polling: a request at once, then one every `interval` ms, start to
   * start. A failure is a `Left`, and polling goes on.
   */
  readonly depth$: (mint: Address, interval: number) => Observable<Either<DepthError, Depth>>
  /** One signed request, sent when the task is run (section 4.1 of the service's documentation). */
  readonly depth: (mint: Address) => TaskEither<DepthError, Depth>
}

/**
 * Makes a client. Nothing is opened until something is asked for. Depth methods exist where the options have
 * `environment: 'mainnet'`, `baseUrl` and `authKey`. Throws a `ConfigurationError` on anything that cannot work.
 */
export function createClient(options: DepthClientOptions): Client
export function createClient(options: ClientOptions): PriceClient
export function createClient(options: ClientOptions): Client {
  const configuration = configure(options)
  const client = wire(configuration)
  closeOnAbort(client, configuration.signal)
  return client
}

const wire = (configuration: Configuration): Client => {
  const { chainId, depth, limits, reconnect, ca } = configuration
  const webSocket = configuration.webSocket ?? wsTransport(ca)
  const http = configuration.http ?? undiciTransport({ ca, connectTimeout: limits.connectTimeout })
  const shared = { ...configuration, ...limits, http, reconnect }
  const { priceWsUrl: url } = configuration
  const inTime = timeHere()
  const feed = new PriceFeed({ ...shared, transport: webSocket, url, host: new URL(url).host, inTime })
  const depths = depth === undefined ? undefined : wireDepth({ ...shared, ...depth })
  const lifetime = new Lifetime()
  let closing: Promise<void> | undefined

  const close = (): Promise<void> => {
    if (closing !== undefined) return closing
    // The promise exists before anybody is told: a listener may close the client again.
    closing = Promise.resolve().then(async () => {
      await Promise.all([webSocket.close(), http.close()])
    })
    feed.close()
    lifetime.end()
    return closing
  }

  return {
    chainId,
    status$: feed.status$,
    errors$: feed.errors$,
    price$: (topic) => feed.price$(topic),
    price: (topic) => runIn(inTime, lifetime.once(priceRequest(shared, topic))),
    depth$: (mint, interval) =>
      livedIn$(inTime, lifetime.whileOpen$((depths ?? noDepth()).polls.depth$(mint, interval))),
    depth: (mint) => runIn(inTime, lifetime.once((depths ?? noDepth()).requests.request(mint))),
    inspect: () =>
      inTime(() => ({
        status: feed.currentStatus,
        topics: feed.snapshot(),
        polls: depths?.polls.snapshot() ?? [],
      })),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A task that is run in a time, wherever it is called. */
const runIn =
  <A>(inTime: InTime, task: () => Promise<A>): (() => Promise<A>) =>
  () =>
    inTime(task)

/** A stream that is subscribed to in a time, wherever that is done. */
const livedIn$ = <A>(inTime: InTime, source$: Observable<A>): Observable<A> =>
  new Observable((subscriber) => inTime(() => source$.subscribe(subscriber)))

const wireDepth = (config: DepthRequestConfig & { readonly reconnect: BackoffPolicy }) => {
  const requests = new DepthRequests(config)
  const host = new URL(config.relayer.origin).host
  const polls = new DepthPolls({ ...config, host, request: (mint) => requests.request(mint) })
  return { requests, polls }
}

const closeOnAbort = (client: Client, signal: AbortSignal | undefined): void => {
  if (signal === undefined) return
  const leave = onAbort(signal, () => void client.close())
  client.status$.subscribe({ complete: leave })
}

const noDepth = (): never => {
  throw new ConfigurationError('depth', "needs environment: 'mainnet', baseUrl and authKey")
}
