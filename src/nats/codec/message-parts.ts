import { assertNever } from '../../base/domain/assert-never.js'
import { truncate } from '../../base/errors/text.js'
import { encodeConsumerMessage, type ConsumerMessage, type ConsumerMessageOf } from './messages.js'

/** The status of the response that replaces a response that is too long. */
const badGateway = 502

/** The statuses from this one on are errors. */
const firstErrorStatus = 400

/** The maximum length of a text that was too long, in UTF-16 code units. */
const maxCutLength = 1_000

/** A UTF-16 code unit has at most this many bytes in JSON. */
const maxBytesPerUnit = 6

/**
 * Encodes a message to a consumer in at most `maxBytes` bytes. A message that is too long is shortened, or replaced by an error
 * for its receiver. Returns `undefined` if this is not possible either.
 */
export const encodeWithin = (message: ConsumerMessage, maxBytes: number): string | undefined => {
  const text = encodeConsumerMessage(message)
  const bytes = Buffer.byteLength(text)
  return bytes <= maxBytes ? text : shortened(message, bytes, maxBytes)
}

const shortened = (message: ConsumerMessage, bytes: number, maxBytes: number): string | undefined => {
  switch (message.type) {
    case 'response':
      return shortenedResponse(message, bytes, maxBytes)
    case 'confirmed': {
      const { type, topic, base, number, sequence } = message
      return ifWithin({ type, topic, base, number, sequence }, maxBytes)
    }
    case 'rejected': {
      // The text shows a consumer which topic is rejected.
      const { base } = message
      return withText(message.text, maxBytes, (text) => ({ ...message, text: `${base}: ${text}` }))
    }
    case 'down':
    case 'closed':
      return withText(message.reason, maxBytes, (reason) => ({ ...message, reason }))
    case 'ready':
    case 'opened':
    case 'renewed':
      return undefined
    default:
      return assertNever(message)
  }
}

/** An error keeps its status. A truncated depth would be invalid, so an error replaces it. */
const shortenedResponse = (
  message: ConsumerMessageOf<'response'>,
  bytes: number,
  maxBytes: number,
): string | undefined => {
  const isError = message.status >= firstErrorStatus
  const shorter = isError ? withText(message.body, maxBytes, (body) => ({ ...message, body })) : undefined
  if (shorter !== undefined) return shorter
  const body = `the response has ${bytes} bytes, NATS allows messages of ${maxBytes} bytes`
  return ifWithin({ ...message, status: badGateway, headers: {}, body }, maxBytes)
}

/** The message with the beginning of a text that certainly fits. */
const withText = (
  text: string,
  maxBytes: number,
  messageWith: (part: string) => ConsumerMessage,
): string | undefined => {
  const room = maxBytes - Buffer.byteLength(encodeConsumerMessage(messageWith('')))
  const length = Math.min(maxCutLength, Math.floor(room / maxBytesPerUnit))
  return length < 0 ? undefined : ifWithin(messageWith(truncate(text, length)), maxBytes)
}

const ifWithin = (message: ConsumerMessage, maxBytes: number): string | undefined => {
  const text = encodeConsumerMessage(message)
  return Buffer.byteLength(text) <= maxBytes ? text : undefined
}
