import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { Observable, tap } from 'rxjs'
import type { Price } from '../domain/price.js'
import type { Topic } from '../domain/topic.js'
import type { PriceError } from '../errors/model.js'
import { noCancel, type Cancel } from '../task/cancellable-task.js'
import { currentClock } from '../time/current-clock.js'
import { TickClock } from '../time/tick-clock.js'
import type { PriceClient } from './client.js'

/** What a gateway reads of the prices of a client beside the public streams. */
export interface PriceFeed {
  /** Like `price$` of the client. `onConfirmed`: called when the service confirms the topic, and at once if it has. */
  readonly price$: (topic: Topic, onConfirmed: () => void) => Observable<Either<PriceError, Price>>
  /** Returns a function: the ms since the last price of a topic that has one; 0 while that price is delivered. */
  readonly priceAgeOf: (topic: Topic) => () => number
  /**
   * Probes each open connection to the service. Returns a function that is true until all have answered: the prices that
   * arrive until then may have been sent before the probe.
   */
  readonly probe: () => () => boolean
  /** False if what has arrived from the service may be older than `maxLag`, whether or not subscribers know it yet. */
  readonly isCurrent: () => boolean
}

/** What a gateway reads of a client beside its public methods. */
export interface ClientFeed extends PriceFeed {
  /** Calls back when the limits of the client allow an HTTP request, now or later. One that the callback starts is sent at once. */
  readonly whenSendable: (onTurn: () => void) => Cancel
}

/** Not a property: a copy of a client with another `price$` must not keep the feed of the original. */
const feeds = new WeakMap<PriceClient, ClientFeed>()

export const setPriceFeed = (client: PriceClient, feed: ClientFeed): void => {
  feeds.set(client, feed)
}

export const priceFeedOf = (client: PriceClient): ClientFeed => feeds.get(client) ?? feedFromStreams(client)

/** The feed of a test client, a replay, or a copy of a client: confirmed on subscription, aged from delivery. */
const feedFromStreams = (client: PriceClient): ClientFeed => {
  const tickClock = new TickClock(currentClock(), () => undefined)
  const deliveredAt = new Map<Topic, number>()
  const now = (): number => {
    tickClock.refresh()
    return tickClock.elapsed
  }
  return {
    price$: (topic, onConfirmed) =>
      new Observable((subscriber) => {
        subscriber.add(() => deliveredAt.delete(topic))
        const delivered$ = client
          .price$(topic)
          .pipe(tap((event) => isRight(event) && deliveredAt.set(topic, now())))
        subscriber.add(delivered$.subscribe(subscriber))
        // A topic that is rejected on subscription is not confirmed.
        if (!subscriber.closed) onConfirmed()
      }),
    priceAgeOf: (topic) => () => {
      const at = deliveredAt.get(topic)
      return at === undefined ? 0 : now() - at
    },
    probe: () => () => false,
    isCurrent: () => true,
    whenSendable: (onTurn) => {
      onTurn()
      return noCancel
    },
  }
}
