import { assertNever } from '../../base/domain/assert-never.js'
import { truncate } from '../../base/errors/text.js'
import { encodeConsumerMessage, type ConsumerMessage, type ConsumerMessageOf } from './messages.js'

/** The status of the response that replaces a response that is too long. */
const badGateway = 502

/** The statuses from this one on are errors. */
const firstErrorStatus = 400

/** The maximum length of a text that was too long, in UTF-16 code units. */
const maxCutLength = 1_000

/** The additional size of a part of a `renewed` message, in bytes: two numbers of 5 digits and their names. */
const partBytes = ',"part":99999,"parts":99999'.length

/**
 * Encodes a message to a consumer as one or more messages of at most `maxBytes` bytes. A message that is too long is
 * replaced by an error for its receiver, shortened, or split. Returns an empty array if this is not possible either.
 */
export const encodeWithin = (message: ConsumerMessage, maxBytes: number): readonly string[] => {
  const text = encodeConsumerMessage(message)
  const bytes = Buffer.byteLength(text)
  return bytes <= maxBytes ? [text] : replace(message, bytes, maxBytes)
}

const replace = (message: ConsumerMessage, bytes: number, maxBytes: number): readonly string[] => {
  switch (message.type) {
    case 'response':
      return replaceResponse(message, bytes, maxBytes)
    case 'confirmed': {
      const { topic, base, number, sequence, isPending } = message
      const pending = isPending === undefined ? {} : { isPending }
      return ifWithin({ type: 'confirmed', topic, base, number, sequence, ...pending }, maxBytes)
    }
    case 'rejected': {
      const { base, text } = message
      return shorten(text, maxBytes, (part) => ({ ...message, text: naming(base, text, part) }))
    }
    case 'down':
    case 'closed':
      return shorten(message.reason, maxBytes, (reason) => ({ ...message, reason }))
    case 'renewed':
      return divide(message, maxBytes)
    case 'ready':
    case 'opened':
      return []
    default:
      return assertNever(message)
  }
}

/** An error keeps its status. A truncated depth would be invalid, so an error replaces it. */
const replaceResponse = (
  message: ConsumerMessageOf<'response'>,
  bytes: number,
  maxBytes: number,
): readonly string[] => {
  const isError = message.status >= firstErrorStatus
  const shorter = isError ? shorten(message.body, maxBytes, (body) => ({ ...message, body })) : []
  if (shorter.length > 0) return shorter
  const body = `the response has ${bytes} bytes, NATS allows messages of ${maxBytes} bytes`
  return ifWithin({ ...message, status: badGateway, headers: {}, body }, maxBytes)
}

const ifWithin = (message: ConsumerMessage, maxBytes: number): readonly string[] => {
  const text = encodeConsumerMessage(message)
  return Buffer.byteLength(text) <= maxBytes ? [text] : []
}

/** Finds the longest beginning of a text with which the message is short enough. */
const shorten = (
  text: string,
  maxBytes: number,
  messageWith: (part: string) => ConsumerMessage,
): readonly string[] => {
  let within: readonly string[] = []
  let [low, high] = [0, Math.min(text.length, maxCutLength)]
  while (low <= high) {
    const length = Math.floor((low + high) / 2)
    const found = ifWithin(messageWith(truncate(text, length)), maxBytes)
    if (found.length > 0) within = found
    if (found.length > 0) low = length + 1
    else high = length - 1
  }
  return within
}

/** The text shows a consumer which topic is rejected. */
const naming = (base: string, text: string, part: string): string => {
  const isNamed = (by: string): boolean => by.toLowerCase().includes(base)
  return isNamed(text) && !isNamed(part) ? `${base}: ${part}` : part
}

/** Splits a `renewed` message, because a session with thousands of topics has thousands of sequence numbers. */
const divide = (message: ConsumerMessageOf<'renewed'>, maxBytes: number): readonly string[] => {
  const empty = encodeConsumerMessage({ ...message, sequences: {} })
  const room = maxBytes - Buffer.byteLength(empty) - partBytes
  const parts: [string, number][][] = []
  let left = 0
  for (const entry of Object.entries(message.sequences)) {
    const [base, sequence] = entry
    // A colon, and a comma.
    const bytes = Buffer.byteLength(JSON.stringify(base)) + JSON.stringify(sequence).length + 2
    if (bytes > room) return []
    if (bytes > left) {
      parts.push([])
      left = room
    }
    parts.at(-1)?.push(entry)
    left -= bytes
  }
  return parts.map((entries, index) =>
    encodeConsumerMessage({
      ...message,
      sequences: Object.fromEntries(entries),
      part: index + 1,
      parts: parts.length,
    }),
  )
}
