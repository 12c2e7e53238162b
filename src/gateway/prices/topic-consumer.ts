import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import type { TextFrame } from './text-frame.js'

/** What a topic sends to each of its consumers. */
export interface TopicConsumer {
  readonly send: (frame: TextFrame) => void
  /** Answers a subscribe message: the service has confirmed the topic. */
  readonly confirm: (topic: Topic) => void
  /** The service has rejected the topic. */
  readonly reject: (base: Address, errorText: TextFrame) => void
}
