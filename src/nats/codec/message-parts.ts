import { assertNever } from '../../base/domain/assert-never.js'
import { truncate } from '../../base/errors/text.js'
import { encodeConsumerMessage, type ConsumerMessage, type ConsumerMessageOf } from './messages.js'

/** The status of the response that replaces a response that is too long. */
const badGateway = 502

/** The statuses from this one on are errors. */
const firstErrorStatus = 400

/** The maximum length of a text that was too long, in UTF-16 code units. */
const maxCutLength = 1_000

/**
 * Encodes a message to a consumer in at most `maxBytes` bytes. A message that is too long is shortened, or replaced by an error
 * for its receiver. Returns `undefined` if this is not possible either.
 */
export const encodeWithin = (message: ConsumerMessage, maxBytes: number): string | undefined => {
  const text = encodeConsumerMessage(message)
  const bytes = Buffer.byteLength(text)
  return bytes <= maxBytes ? text : replace(message, bytes, maxBytes)
}

const replace = (message: ConsumerMessage, bytes: number, maxBytes: number): string | undefined => {
  switch (message.type) {
    case 'response':
      return replaceResponse(message, bytes, maxBytes)
    case 'confirmed': {
      const { topic, base, number, sequence, pendingSince } = message
      const pending = pendingSince === undefined ? {} : { pendingSince }
      return ifWithin({ type: 'confirmed', topic, base, number, sequence, ...pending }, maxBytes)
    }
    case 'rejected': {
      const { base, text } = message
      return shorten(text, maxBytes, (part) => ({ ...message, text: naming(base, text, part) }))
    }
    case 'down':
    case 'closed':
      return shorten(message.reason, maxBytes, (reason) => ({ ...message, reason }))
    case 'ready':
    case 'opened':
    case 'renewed':
      return undefined
    default:
      return assertNever(message)
  }
}

/** An error keeps its status. A truncated depth would be invalid, so an error replaces it. */
const replaceResponse = (
  message: ConsumerMessageOf<'response'>,
  bytes: number,
  maxBytes: number,
): string | undefined => {
  const isError = message.status >= firstErrorStatus
  const shorter = isError ? shorten(message.body, maxBytes, (body) => ({ ...message, body })) : undefined
  if (shorter !== undefined) return shorter
  const body = `the response has ${bytes} bytes, NATS allows messages of ${maxBytes} bytes`
  return ifWithin({ ...message, status: badGateway, headers: {}, body }, maxBytes)
}

const ifWithin = (message: ConsumerMessage, maxBytes: number): string | undefined => {
  const text = encodeConsumerMessage(message)
  return Buffer.byteLength(text) <= maxBytes ? text : undefined
}

/** Finds the longest beginning of a text with which the message is short enough. */
const shorten = (
  text: string,
  maxBytes: number,
  messageWith: (part: string) => ConsumerMessage,
): string | undefined => {
  let within: string | undefined
  let [low, high] = [0, Math.min(text.length, maxCutLength)]
  while (low <= high) {
    const length = Math.floor((low + high) / 2)
    const found = ifWithin(messageWith(truncate(text, length)), maxBytes)
    if (found === undefined) high = length - 1
    else [within, low] = [found, length + 1]
  }
  return within
}

/** The text shows a consumer which topic is rejected. */
const naming = (base: string, text: string, part: string): string => {
  const isNamed = (by: string): boolean => by.toLowerCase().includes(base)
  return isNamed(text) && !isNamed(part) ? `${base}: ${part}` : part
}
