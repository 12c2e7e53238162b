import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { defaultService, isTopicOf, isTopicOfAnyService, type Topic } from '../../domain/topic.js'
import { invalidTopic } from '../../errors/constructors.js'
import type { InvalidTopic } from '../../errors/model.js'

/**
 * Validates a topic and returns it unchanged. `service`: the service's name; default `svc`.
 *
 * @example
 * parseTopic('svc-0x82aF') // Right('svc-0x82aF')
 * parseTopic('svc-82af') // Left(InvalidTopic)
 */
export const parseTopic = (text: string, service: string = defaultService): Either<InvalidTopic, Topic> =>
  isTopicOf(text, service) ? right(text) : left(invalidTopic(text, service))

/** Like `parseTopic`, for a topic of any service: a client from given streams has no service name. */
export const parseTopicOfAnyService = (text: string): Either<InvalidTopic, Topic> =>
  isTopicOfAnyService(text) ? right(text) : left(invalidTopic(text, defaultService))

/**
 * Builds the topic of a token's address.
 *
 * @example
 * topicOf('0x82af') // Right('svc-0x82af')
 */
export const topicOf = (address: string, service: string = defaultService): Either<InvalidTopic, Topic> =>
  parseTopic(`${service}-${address}`, service)
