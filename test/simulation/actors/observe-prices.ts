import { isLeft } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import type { Client, Topic } from 'svc-streams'
import { setPriceFeed, type PriceFeed, type TopicSource } from '../../../src/client/price-feed.js'
import type { PriceEvent } from '../../../src/client/prices/subscribers.js'
import { priceFeedOf } from '../../../src/gateway/server/client-feed.js'
import { baseOf, type Ledger } from '../invariants/ledger.js'
import { problemOfFailure } from '../invariants/failure-rules.js'
import { problemOfPrice } from '../invariants/price-rules.js'

interface PriceListener {
  readonly report: (problem: string) => void
  /** Called before the gateway receives the event. */
  readonly onEvent: (base: string, event: PriceEvent) => void
}

/** Records what the client of a gateway delivers to it, as what a subscriber receives. */
export const observePrices = (client: Client, ledger: Ledger, { report, onEvent }: PriceListener): void => {
  const observed$ = (
    topic: Topic,
    event$: ReturnType<TopicSource['open$']>,
  ): ReturnType<TopicSource['open$']> =>
    new Observable((subscriber) => {
      const record = ledger.onSubscribe(topic)
      subscriber.add(() => ledger.onLeave(record))
      const subscription = event$.subscribe({
        next: (event) => {
          ledger.trace(() => `${topic} ${isLeft(event) ? event.left.message : `price ${event.right.price}`}`)
          const problem = isLeft(event)
            ? problemOfFailure(ledger, record, event.left)
            : problemOfPrice(ledger, record, event.right)
          if (problem !== undefined) report(problem)
          ledger.onEvent(record, event)
          onEvent(baseOf(topic), event)
          subscriber.next(event)
        },
        complete: () => subscriber.complete(),
      })
      subscriber.add(subscription)
    })
  const feed = priceFeedOf(client)
  const sourceOf: PriceFeed['sourceOf'] = (topic) => {
    const source = feed.sourceOf(topic)
    return { ...source, open$: (onConfirmed) => observed$(topic, source.open$(onConfirmed)) }
  }
  setPriceFeed(client, { ...feed, sourceOf })
}
