import type { Subscriber, Unsubscribable } from 'rxjs'
import type { Topic } from '../domain/topic.js'
import type { TopicState, PriceSubscriber, PriceEvent } from './topic-state.js'

/** A listener that knows how to leave: one small object, since there may be many. */
export class Listening implements PriceSubscriber, Unsubscribable {
  /** The topic that it listens to, once it does. */
  entry: TopicState | undefined

  constructor(
    readonly topic: Topic,
    readonly subscriber: Subscriber<PriceEvent>,
    private readonly left: (listener: PriceSubscriber, entry: TopicState) => void,
  ) {}

  unsubscribe(): void {
    if (this.entry !== undefined) this.left(this, this.entry)
  }
}
