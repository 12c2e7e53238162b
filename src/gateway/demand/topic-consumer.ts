import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'

/** A topic whose price can be sent later. */
export interface CurrentPrice<Frame> {
  /** The last price with its age, if it is current. */
  readonly currentFrame: () => Frame | undefined
}

/** What a topic sends to each of its consumers. `Frame`: an encoded price frame. */
export interface TopicConsumer<Frame> {
  /** Sends a price, or a later one of the same topic. */
  readonly send: (frame: Frame, topic: CurrentPrice<Frame>) => void
  /** Answers a subscribe message: the service has confirmed the topic. */
  readonly confirm: (topic: Topic) => void
  /** The service has rejected the topic. */
  readonly reject: (base: Address, errorText: string) => void
}
