import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { parseTopic } from '../../codec/arguments.js'
import type { Topic } from '../../domain/topic.js'
import { oneLine } from '../../errors/text.js'

/** The maximum length of a topic. An address has 42 characters. */
export const maxTopicLength = 256

/** The topic of a consumer's message. Left: the error text for the consumer. */
export const requestedTopic = (text: string, service: string): Either<string, Topic> => {
  const topic = text.length > maxTopicLength ? undefined : parseTopic(text, service)
  return topic === undefined || isLeft(topic)
    ? left(`Invalid request: ${oneLine(text)} is no topic: expected ${service}-0x<hex digits>`)
    : topic
}
