import type { Writable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { ConsumedTopic } from '../subscriptions/topic-feed.js'
import { truncate } from '../../base/errors/text.js'

/** The members of a consumer's WebSocket that a gateway uses. */
export type ConsumerWebSocket = Pick<
  WebSocket,
  'readyState' | 'OPEN' | 'ping' | 'pong' | 'close' | 'terminate'
>

/** The members of the underlying socket that a gateway uses. */
export type ConsumerStream = Pick<Writable, 'write' | 'writableLength'>

/** A frame (RFC 6455, section 5.2) with a character for each byte: concatenated without a copy, and equal frames are equal. */
export type TextFrame = string

/** The first byte: the final fragment of a text message. */
const finalText = '\x81'

/** A payload of this length or more has its length in two further bytes. */
const mediumLength = 126

/** A payload of this length or more has its length in eight further bytes. */
const longLength = 65_536

/** Encodes a payload whose characters are all ASCII. */
export const asciiFrame = (payload: string): TextFrame => finalText + lengthOf(payload.length) + payload

export const textFrame = (text: string): TextFrame => asciiFrame(Buffer.from(text).toString('latin1'))

const lengthOf = (length: number): string => {
  if (length < mediumLength) return String.fromCharCode(length)
  const bytes = length < longLength ? Buffer.alloc(3) : Buffer.alloc(9)
  bytes[0] = length < longLength ? mediumLength : mediumLength + 1
  bytes.writeUInt16BE(length % longLength, bytes.length - 2)
  if (length >= longLength) bytes.writeUInt32BE(Math.floor(length / longLength), bytes.length - 6)
  return bytes.toString('latin1')
}

/** The maximum length of the reason in a close frame, in bytes of UTF-8 (RFC 6455, section 5.5). */
const maxReasonBytes = 123

/** The start of a text that fits into a close frame. */
export const closeReason = (text: string): string => {
  let reason = truncate(text, maxReasonBytes)
  while (Buffer.byteLength(reason) > maxReasonBytes) reason = truncate(reason, reason.length - 1)
  return reason
}

/** Above this number of topics, a confirmation lists only the new topic: lists of all topics would fill a slow link for seconds. */
const maxListedTopics = 16

/** `confirmed`: the topic of a short list. `hasPosition`: its next price frame follows the position of the confirmation. */
export const confirmationText = (
  confirmed: Pick<ConsumedTopic, 'topic' | 'position'> | undefined,
  all: ReadonlyMap<string, Pick<ConsumedTopic, 'topic' | 'isConfirmed'>>,
  hasPosition: boolean,
): string => {
  const listsAll = all.size <= maxListedTopics
  const listed = listsAll ? [...all.values()].filter(({ isConfirmed }) => isConfirmed) : undefined
  const topics = listed ?? (confirmed === undefined ? [] : [confirmed])
  const at = hasPosition ? confirmed?.position : undefined
  const position = at && { topic: confirmed?.topic, ...at }
  return JSON.stringify({ subscriptions: topics.map(({ topic }) => topic), position })
}
