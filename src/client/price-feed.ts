import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { LiveSource } from '../base/domain/past.js'
import type { Price } from '../base/domain/price.js'
import type { Topic } from '../base/domain/topic.js'
import type { PriceError } from '../base/errors/model.js'
import type { Cancel } from '../base/task/cancellable-task.js'

/** The prices of one topic, as a gateway reads them. */
export interface TopicSource extends Pick<LiveSource<Either<PriceError, Price>>, 'open$' | 'position'> {
  /** The ms since the last price; 0 while that price is delivered. */
  readonly age: () => number
}

/** The data of a client's prices that a gateway reads, in addition to the public streams. */
export interface PriceFeed {
  readonly sourceOf: (topic: Topic) => TopicSource
  /**
   * Requests a probe of each open connection to the service, at most one within `spacing` ms. Returns a function that
   * returns true until each has answered a probe that was sent after this call: prices that arrive until then may have been
   * sent before. Returns false if the age is not bounded.
   */
  readonly requestProbe: (spacing: number) => () => boolean
  /** Emits when the service has answered a probe, after the prices that are current by this answer. */
  readonly measured$: Observable<unknown>
  /** False if the age of prices has no upper bound: the service answers no probes, or there is none. */
  readonly isBounded: () => boolean
  /** False if data that have arrived from the service may be older than `maxLag`, also before a `Stale` is emitted. */
  readonly isUpToDate: () => boolean
}

/** The functions of a client that a gateway uses, in addition to the public methods. */
export interface ClientFeed extends PriceFeed {
  /**
   * Calls back, now or later, when the limits of the client allow an HTTP request: one that the callback starts is sent at once.
   */
  readonly whenSendable: (onTurn: () => void) => Cancel
  /** Emits when a request that starts with the subscription has no result in time. Never for a client with its own limit. */
  readonly requestTimeout$: Observable<unknown>
}

export interface PriceSource {
  readonly price$: (topic: Topic) => Observable<Either<PriceError, Price>>
}

/** Not a property of the client: a copy of a client with another `price$` must not have the feed of the original. */
const feeds = new WeakMap<PriceSource, ClientFeed>()

export const setPriceFeed = (client: PriceSource, feed: ClientFeed): void => {
  feeds.set(client, feed)
}

/** The feed of a client of `createClient`; `undefined` for any other client, such as a copy. */
export const ownFeedOf = (client: PriceSource): ClientFeed | undefined => feeds.get(client)
