import { NEVER, type Observable } from 'rxjs'
import { DepthPolls } from './depth/polls.js'
import { liveSources } from '../base/domain/past.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { priceRequest, Relayer } from '../wire/http/requests.js'
import { RequestLimiter } from '../wire/http/request-limiter.js'
import type { Platform } from '../wire/platform/platform.js'
import { Host } from '../wire/socket/reconnecting.js'
import { Lines } from './prices/lines.js'
import type { Cancel } from '../base/task/cancellable-task.js'
import { closeOnce } from '../base/task/close-once.js'
import { ResponsiveDeadlines } from '../base/time/timers.js'
import { currentClock } from '../base/time/clock.js'
import { EventStream, type Stream } from '../base/time/stream.js'
import type { Client, PriceClient } from './client.js'
import { configure, type Configuration } from './configuration.js'
import { Lifetime } from './lifetime.js'
import { setPriceFeed } from './price-feed.js'
import type { ClientOptions, DepthClientOptions, UnsignedClientOptions } from './options.js'

export interface CreateClient {
  (options: DepthClientOptions | UnsignedClientOptions): Client
  (options: ClientOptions): PriceClient
}

export const createClientOn =
  (platform: Platform): CreateClient =>
  (options: ClientOptions): Client => {
    return clientOf(configure(options, platform), platform)
  }

/**
 * The client of options that are checked.
 *
 * @internal
 */
export const clientOf = (configuration: Configuration, platform: Platform): Client => {
  const { chainId, priceWsUrls, depth, connectTimeout, maxLag, ca } = configuration
  const transport = configuration.webSocket ?? platform.webSocketTransport(ca)
  const http = configuration.http ?? platform.httpTransport({ connectTimeout, ca })
  const clock = currentClock()
  const limiter = new RequestLimiter({ ...configuration, clock })
  const timeouts = new ResponsiveDeadlines(clock, configuration.requestTimeout)
  const { publish, addSource, createPriceFrames } = platform
  const shared = { ...configuration, http, clock, publish, addSource, createPriceFrames, limiter, timeouts }
  const [firstUrl, ...otherUrls] = priceWsUrls
  const lines = new Lines({
    ...shared,
    transport,
    hosts: [new Host(firstUrl), ...otherUrls.map((url) => new Host(url))],
  })
  const whenSendable = (onTurn: () => void): Cancel => limiter.acquire(onTurn)
  const arePricesSettled = (): boolean => lines.areSettled()
  const relayer = depth && new Relayer({ ...shared, ...depth })
  const polls = relayer && new DepthPolls({ ...shared, relayer, whenSendable, arePricesSettled })
  const stopWaking = platform.onWake((event) => lines.wake(event))
  const lifetime = new Lifetime()
  const { close, closeOnAbort } = closeOnce(async () => {
    stopWaking()
    lines.close()
    lifetime.close()
    polls?.close()
    // The client also closes if a transport fails to close.
    await Promise.allSettled([transport, http].map(async (each) => each.close()))
  })

  const client: Client = {
    chainId,
    status$: inSubscriberZone$(lines.status$),
    errors$: inSubscriberZone$(lines.errors$),
    price$: (topic) => {
      const { open$: openOnLines$, position, isCurrent } = lines.sourceOf(topic)
      const open$ = (onConfirmed?: () => void) => inSubscriberZone$(openOnLines$(onConfirmed))
      const price$ = open$()
      liveSources.set(price$, { open$, position, maxLag, isCurrent })
      return price$
    },
    price: (topic) => lifetime.once(priceRequest(shared, topic)),
    depth$: (mint, interval) =>
      inSubscriberZone$(lifetime.whileOpen$((polls ?? noDepth()).depth$(mint, interval))),
    depth: (mint) => lifetime.once((relayer ?? noDepth()).depth(mint)),
    inspect: () => ({
      status: lines.status,
      lines: lines.lineSnapshots(),
      topics: lines.snapshot(),
      polls: polls?.snapshot() ?? [],
    }),
    close,
    [Symbol.asyncDispose]: close,
  }
  setPriceFeed(client, {
    sourceOf: (topic) => lines.sourceOf(topic),
    requestProbe: (spacing) => lines.requestProbe(spacing),
    measured$: lines.measured$,
    isBounded: () => lines.isBounded(),
    isUpToDate: () => lines.isUpToDate(),
    whenSendable,
    requestTimeout$: NEVER,
  })
  closeOnAbort(configuration.signal)
  return client
}

const noDepth = (): never => {
  throw new ConfigurationError(
    'depth',
    "requires environment: 'mainnet', baseUrl, and authKey or unsigned: true",
  )
}

/** zone.js, as far as it is used here. Its global exists if the program has loaded it, as Angular does. */
interface Global {
  readonly Zone?: { readonly current: { run(work: () => void): void } }
}

/** Handlers run in the zone of zone.js that has subscribed, because subscribers of several zones share a socket. */
const inSubscriberZone$ = <A>(source$: Observable<A>): Stream<A> =>
  new EventStream((subscriber) => {
    const { Zone } = globalThis as Global
    if (Zone === undefined) {
      source$.subscribe(subscriber)
      return
    }
    const zone = Zone.current
    const observer = {
      next: (value: A) => zone.run(() => subscriber.next(value)),
      error: (thrown: unknown) => zone.run(() => subscriber.error(thrown)),
      complete: () => zone.run(() => subscriber.complete()),
    }
    subscriber.add(source$.subscribe(observer))
  })
