import type { Subscriber, Unsubscribable } from 'rxjs'
import type { Topic } from '../domain/topic.js'
import type { Entry, Listener, PriceEvent } from './topic-state.js'

/** A listener that knows how to leave: one small object, since there may be many. */
export class Listening implements Listener, Unsubscribable {
  /** The topic that it listens to, once it does. */
  entry: Entry | undefined

  constructor(
    readonly topic: Topic,
    readonly subscriber: Subscriber<PriceEvent>,
    private readonly left: (listener: Listener, entry: Entry) => void,
  ) {}

  unsubscribe(): void {
    if (this.entry !== undefined) this.left(this, this.entry)
  }
}
