import { Observable, type Observer, type Subscriber, type Subscription } from 'rxjs'
import type { Topic } from '../../../../src/base/domain/topic.js'
import type { PriceSubscriber, PriceEvent } from '../../../../src/client/prices/subscribers.js'

export interface TestPriceSubscriber extends PriceSubscriber {
  readonly subscription: Subscription
}

/** Creates a subscriber of a topic. `subscription` unsubscribes it. */
export const createPriceSubscriber = (
  topic: Topic,
  observer: Partial<Observer<PriceEvent>> = {},
): TestPriceSubscriber => {
  const subscribers: Subscriber<PriceEvent>[] = []
  const source$ = new Observable<PriceEvent>((subscriber) => void subscribers.push(subscriber))
  const subscription = source$.subscribe(observer)
  return {
    topic,
    subscriber: subscribers[0]!,
    subscription,
    onConfirmed: undefined,
    position: 0,
    previous: undefined,
    next: undefined,
  }
}
