// What the header of a WebSocket frame says: section 5.2 of RFC 6455.

const final = 0x80
const reserved = 0x70
const control = 0x08
const masked = 0x80
const continuation = 0x0
const text = 0x1
const binary = 0x2
const ping = 0x9
const pong = 0xa

/** The first byte of a text frame that is a whole message. */
export const finalText = final | text

/**
 * Whether a frame whose header begins like this is one after which others follow. `halfSaid`: whether a message of
 * several frames is under way.
 */
export const isUnderstood = (first: number, second: number, halfSaid: boolean): boolean => {
  const length = second & 0x7f
  if ((first & reserved) !== 0 || (second & masked) !== 0) return false
  switch (first & 0x0f) {
    case ping:
    case pong:
      return isFinal(first) && length <= 125
    case continuation:
      return halfSaid
    case text:
    case binary:
      return !halfSaid
    default:
      return false
  }
}

/** Whether a message of several frames is under way after a frame that begins like this. */
export const isFragmentedAfter = (first: number, halfSaid: boolean): boolean =>
  (first & control) === 0 ? !isFinal(first) : halfSaid

/** Whether a frame that begins like this is a whole message, or the end of one. */
export const isFinal = (first: number): boolean => (first & final) !== 0

/** Of a frame without a mask: two bytes, and a longer length where these say so. */
export const headerSize = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt8(at + 1) & 0x7f
  return length < 126 ? 2 : length === 126 ? 4 : 10
}

export const payloadSize = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt8(at + 1) & 0x7f
  if (length < 126) return length
  return length === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}
