import { Observable, type Observer, type Subscriber, type Subscription } from 'rxjs'
import type { Topic } from '../../../src/domain/topic.js'
import type { PriceSubscriber, PriceEvent } from '../../../src/prices/topic-state.js'

export interface SubscribedPriceSubscriber extends PriceSubscriber {
  readonly subscription: Subscription
}

/** Somebody who listens, and how to make them leave. */
export const createPriceSubscriber = (
  topic: Topic,
  observer: Partial<Observer<PriceEvent>> = {},
): SubscribedPriceSubscriber => {
  const made: Subscriber<PriceEvent>[] = []
  const source$ = new Observable<PriceEvent>((subscriber) => void made.push(subscriber))
  const subscription = source$.subscribe(observer)
  return { topic, subscriber: made[0]!, subscription }
}
