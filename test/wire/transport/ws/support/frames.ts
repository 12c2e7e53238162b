// WebSocket frames as bytes, valid and invalid: section 5.2 of RFC 6455.

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** The form of the payload length in the header: in the second byte, in two more bytes, or in eight more bytes. */
export type LengthForm = 'short' | 'medium' | 'long'

export interface FrameShape {
  readonly opcode: number
  readonly payload: Buffer
  readonly isFinal?: boolean
  /** The three reserved bits: 0x40, 0x20, 0x10. */
  readonly reserved?: number
  /** Default: the shortest form for the length. */
  readonly form?: LengthForm
  readonly mask?: Buffer
}

const shortestForm = (length: number): LengthForm =>
  length < 126 ? 'short' : length < 65536 ? 'medium' : 'long'

const lengthBytes = (length: number, form: LengthForm, masked: number): Buffer => {
  if (form === 'short') return Buffer.of(masked | length)
  const bytes = Buffer.alloc(form === 'medium' ? 3 : 9)
  bytes[0] = masked | (form === 'medium' ? 126 : 127)
  if (form === 'medium') bytes.writeUInt16BE(length, 1)
  else bytes.writeBigUInt64BE(BigInt(length), 1)
  return bytes
}

export const frame = (shape: FrameShape): Buffer => {
  const { payload, isFinal = true, reserved = 0, form = shortestForm(payload.length), mask } = shape
  const first = Buffer.of((isFinal ? 0x80 : 0) | reserved | shape.opcode)
  const length = lengthBytes(payload.length, form, mask === undefined ? 0 : 0x80)
  if (mask === undefined) return Buffer.concat([first, length, payload])
  return Buffer.concat([first, length, mask, payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}

export const text = (content: string): Buffer => frame({ opcode: opcode.text, payload: Buffer.from(content) })

/** The text of a price event. */
export const priceText = (topic: string, price: string): string => `{"topic":"${topic}","price":${price}}`

export const binary = (...bytes: number[]): Buffer =>
  frame({ opcode: opcode.binary, payload: Buffer.of(...bytes) })

export const ping = (content = ''): Buffer => frame({ opcode: opcode.ping, payload: Buffer.from(content) })

export const pong = (content = ''): Buffer => frame({ opcode: opcode.pong, payload: Buffer.from(content) })

export const close = (code?: number, reason = ''): Buffer =>
  frame({ opcode: opcode.close, payload: code === undefined ? Buffer.alloc(0) : closePayload(code, reason) })

export const closePayload = (code: number, reason: string): Buffer =>
  Buffer.concat([Buffer.of(code >> 8, code & 255), Buffer.from(reason)])

/** A fragmented message: one frame for each part. `between`: the frames between two parts. */
export const fragmented = (kind: number, parts: readonly Buffer[], between: readonly Buffer[] = []): Buffer =>
  Buffer.concat(
    parts.flatMap((payload, index) => [
      frame({
        opcode: index === 0 ? kind : opcode.continuation,
        payload,
        isFinal: index === parts.length - 1,
      }),
      ...(index < parts.length - 1 ? between : []),
    ]),
  )
