import { exactDigits, nine, zero } from '../../wire/codec/fast-path.js'

// A price update on NATS: `<sequence> <time> <frame>`. The frame is the unchanged price frame of the service. A heartbeat of a topic
// has the sequence number of its last update, and no frame.

/** `time`: of the gateway's monotonic clock, in ms. Rounded down, so that the age of an update is never underestimated. */
export const encodePriceUpdate = (sequence: number, time: number, frame: string): string =>
  `${sequence} ${Math.floor(time)} ${frame}`

/** The header of a price update. One object is reused for all, because this is the hot path. */
export interface PriceUpdateHeader {
  sequence: number
  /** In ms. */
  time: number
  /** The index of the first byte of the frame. */
  start: number
}

const space = 0x20

/** Reads the header of a price update. Returns false if it is malformed. */
export const readPriceUpdate = (bytes: Uint8Array, header: PriceUpdateHeader): boolean => {
  let at = 0
  const readNumber = (): number => {
    const start = at
    let value = 0
    for (; at < bytes.length && at - start <= exactDigits; at++) {
      const byte = bytes[at] ?? 0
      if (byte < zero || byte > nine) break
      value = value * 10 + byte - zero
    }
    const isNumber = at > start && at - start <= exactDigits && bytes[at] === space
    at++
    return isNumber ? value : NaN
  }
  header.sequence = readNumber()
  header.time = readNumber()
  header.start = at
  return header.sequence >= 0 && header.time >= 0
}
