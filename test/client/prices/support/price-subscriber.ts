import { Observable, type Observer, type Subscriber, type Subscription } from 'rxjs'
import type { Topic } from '../../../../src/base/domain/topic.js'
import { baseAddressOf } from '../../../../src/base/domain/topic.js'
import { PriceSubscription, type PriceEvent } from '../../../../src/client/prices/subscribers.js'

export interface TestPriceSubscriber extends PriceSubscription {
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
  const base = baseAddressOf(topic, 'svc') ?? '0x'
  const added = new PriceSubscription(base, topic, subscribers[0]!, undefined, () => undefined)
  return Object.assign(added, { subscription })
}
