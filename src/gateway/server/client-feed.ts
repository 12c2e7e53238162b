import { isRight } from 'fp-ts/lib/Either.js'
import { defer, finalize, NEVER, Observable, tap, timer } from 'rxjs'
import { noCancel } from '../../base/task/cancellable-task.js'
import { currentClock, TickClock } from '../../base/time/clock.js'
import { ownFeedOf, type ClientFeed, type PriceSource, type TopicSource } from '../../client/price-feed.js'

/** The feed of any client. */
export const priceFeedOf = (client: PriceSource): ClientFeed => ownFeedOf(client) ?? feedFromStreams(client)

/** The time in which the stream of a topic or a mint must have a value for a request, in ms. */
const streamRequestTime = 10_000

/** The feed of a test client, a replay, or a copy of a client: confirmed on subscription, aged from delivery. */
const feedFromStreams = (client: PriceSource): ClientFeed => {
  const tickClock = new TickClock(currentClock())
  const now = (): number => {
    tickClock.refresh()
    return tickClock.elapsed
  }
  return {
    sourceOf: (topic) => {
      let deliveredAt: number | undefined
      const delivered$ = defer(() => client.price$(topic)).pipe(
        tap((event) => isRight(event) && (deliveredAt = now())),
        finalize(() => (deliveredAt = undefined)),
      )
      const open$: TopicSource['open$'] = (onConfirmed) =>
        new Observable((subscriber) => {
          delivered$.subscribe(subscriber)
          // A topic that is rejected on subscription is not confirmed.
          if (!subscriber.closed) onConfirmed?.()
        })
      return {
        open$,
        position: () => undefined,
        age: () => (deliveredAt === undefined ? 0 : now() - deliveredAt),
      }
    },
    requestProbe: () => () => false,
    measured$: NEVER,
    isBounded: () => false,
    isUpToDate: () => true,
    whenSendable: (onTurn) => {
      onTurn()
      return noCancel
    },
    requestTimeout$: timer(streamRequestTime),
  }
}
