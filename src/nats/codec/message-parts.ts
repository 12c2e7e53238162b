import { truncate } from '../../base/errors/text.js'
import { encodeConsumerMessage, type ConsumerMessage } from './messages.js'

/** The status of the response that replaces a response that is too long. */
const badGateway = 502

/** The statuses from this one on are errors. */
const firstErrorStatus = 400

/** The length of a text that is shortened, in UTF-16 code units. */
const cutLength = 200

/**
 * Encodes a message to a consumer in at most `maxBytes` bytes. A message that is too long is shortened, or replaced by an error
 * for its receiver. Returns `undefined` if this is not possible either.
 */
export const encodeWithin = (message: ConsumerMessage, maxBytes: number): string | undefined => {
  const text = encodeConsumerMessage(message)
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  const shorter = encodeConsumerMessage(shorterOf(message, bytes, maxBytes))
  return Buffer.byteLength(shorter) <= maxBytes ? shorter : undefined
}

const shorterOf = (message: ConsumerMessage, bytes: number, maxBytes: number): ConsumerMessage => {
  switch (message.type) {
    case 'response': {
      if (message.status >= firstErrorStatus) return { ...message, body: truncate(message.body, cutLength) }
      // A truncated depth would be invalid.
      const body = `the response has ${bytes} bytes, NATS allows messages of ${maxBytes} bytes`
      return { ...message, status: badGateway, headers: {}, body }
    }
    case 'confirmed': {
      const { type, topic, base, number, sequence, pendingSince } = message
      return pendingSince === undefined ? { type, topic, base, number, sequence } : message
    }
    // The text shows a consumer which topic is rejected.
    case 'rejected':
      return { ...message, text: `${message.base}: ${truncate(message.text, cutLength)}` }
    case 'down':
    case 'closed':
      return { ...message, reason: truncate(message.reason, cutLength) }
    case 'ready':
    case 'opened':
    case 'renewed':
      return message
  }
}
