import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'

/** What a topic sends to each of its consumers. `Frame`: an encoded price frame. */
export interface TopicConsumer<Frame> {
  readonly send: (frame: Frame) => void
  /** Answers a subscribe message: the service has confirmed the topic. */
  readonly confirm: (topic: Topic) => void
  /** The service has rejected the topic. */
  readonly reject: (base: Address, errorText: string) => void
}
