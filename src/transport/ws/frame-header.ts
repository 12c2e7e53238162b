// The header of a WebSocket frame: section 5.2 of RFC 6455.

const final = 0x80
const reserved = 0x70
const control = 0x08
const masked = 0x80
const continuation = 0x0
const text = 0x1
const binary = 0x2
const ping = 0x9
const pong = 0xa

/** The first byte of a text frame that is a complete message. */
export const finalText = final | text

/**
 * True for the first two bytes of a valid frame, other than a close frame, that the service may send at this point.
 * `fragmented`: true inside a fragmented message.
 */
export const isSkippable = (first: number, second: number, fragmented: boolean): boolean => {
  const length = second & 0x7f
  if ((first & reserved) !== 0 || (second & masked) !== 0) return false
  switch (first & 0x0f) {
    case ping:
    case pong:
      return isFinal(first) && length <= 125
    case continuation:
      return fragmented
    case text:
    case binary:
      return !fragmented
    default:
      return false
  }
}

/** True if the stream is inside a fragmented message after the frame with this first byte. */
export const isFragmentedAfter = (first: number, fragmented: boolean): boolean =>
  (first & control) === 0 ? !isFinal(first) : fragmented

/** True for the first byte of the last frame of a message. */
export const isFinal = (first: number): boolean => (first & final) !== 0

/** The size of the header of an unmasked frame, in bytes. */
export const headerSize = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt8(at + 1) & 0x7f
  return length < 126 ? 2 : length === 126 ? 4 : 10
}

/** The size of the payload, in bytes. */
export const payloadSize = (bytes: Buffer, at: number): number => {
  const length = bytes.readUInt8(at + 1) & 0x7f
  if (length < 126) return length
  return length === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}
