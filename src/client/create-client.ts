import { Observable } from 'rxjs'
import { DepthPolls } from '../depth/polls.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { DepthRequests, type DepthRequestConfig } from '../http/depth-request.js'
import { priceRequest } from '../http/price-request.js'
import { node } from '../platform/node.js'
import { ConnectionPool } from '../prices/connection-pool.js'
import { onAbort } from '../task/on-abort.js'
import type { BackoffPolicy } from '../time/backoff.js'
import { currentClock, type RunInClock } from '../time/virtual-time.js'
import type { Client, PriceClient } from './client.js'
import { configure, type Configuration } from './configuration.js'
import { Lifetime } from './lifetime.js'
import type { ClientOptions, DepthClientOptions } from './options.js'

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
  const webSocket = configuration.webSocket ?? node.webSocketTransport(ca)
  const http = configuration.http ?? node.httpTransport({ ca, connectTimeout: limits.connectTimeout })
  const shared = { ...configuration, ...limits, http, reconnect }
  const { priceWsUrl: url } = configuration
  const inTime = currentClock()
  const feed = new ConnectionPool({ ...shared, transport: webSocket, url, host: new URL(url).host, inTime })
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
  <A>(inTime: RunInClock, task: () => Promise<A>): (() => Promise<A>) =>
  () =>
    inTime(task)

/** A stream that is subscribed to in a time, wherever that is done. */
const livedIn$ = <A>(inTime: RunInClock, source$: Observable<A>): Observable<A> =>
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
