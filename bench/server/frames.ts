/** A text frame of a server: unfragmented, unmasked, with the shortest header. */
export const textFrame = (text: string): Buffer => frame(0x81, Buffer.from(text))

export const pongFrame = (payload: Buffer): Buffer => frame(0x8a, payload)

export const closeFrame = (payload: Buffer): Buffer => frame(0x88, payload)

const frame = (firstByte: number, payload: Buffer): Buffer => {
  const { length } = payload
  if (length > 0xffff) throw new Error('frames of 64 KiB and more are not supported')
  const header = length < 126 ? [firstByte, length] : [firstByte, 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(header), payload])
}

export interface ClientFrame {
  readonly opcode: number
  readonly payload: Buffer
}

export const opcodes = { continuation: 0, text: 1, close: 8, ping: 9 } as const

/** Returns a function that takes the next bytes of a client, and returns the frames that they complete. */
export const createFrameReader = (): ((bytes: Buffer) => readonly ClientFrame[]) => {
  let unread: Buffer = Buffer.alloc(0)
  return (bytes) => {
    unread = Buffer.concat([unread, bytes])
    const frames: ClientFrame[] = []
    for (let next = readFrame(unread); next !== undefined; next = readFrame(unread)) {
      frames.push(next.frame)
      unread = unread.subarray(next.size)
    }
    return frames
  }
}

const maskSize = 4

const readFrame = (bytes: Buffer): { readonly frame: ClientFrame; readonly size: number } | undefined => {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 0x7f
  const headerSize = short < 126 ? 2 : short === 126 ? 4 : 10
  const start = headerSize + maskSize
  if (bytes.length < start) return undefined
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (bytes.length < start + length) return undefined
  const mask = bytes.subarray(headerSize, start)
  const payload = Buffer.from(bytes.subarray(start, start + length))
  for (const [index, byte] of payload.entries()) payload[index] = byte ^ (mask[index % maskSize] ?? 0)
  return { frame: { opcode: bytes.readUInt8(0) & 0x0f, payload }, size: start + length }
}
