import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import type { TopicFeed } from './topic-feed.js'

/** What a topic sends to each of its consumers. `Frame`: an encoded price frame. */
export interface TopicConsumer<Frame> {
  /** Sends a price of this feed. */
  readonly send: (frame: Frame, feed: TopicFeed<Frame>) => void
  /** Answers a subscribe message: the service has confirmed the topic. */
  readonly confirm: (topic: Topic) => void
  /** The service has rejected the topic. */
  readonly reject: (base: Address, errorText: string) => void
}
