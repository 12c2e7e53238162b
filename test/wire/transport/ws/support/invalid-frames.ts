import fc from 'fast-check'
import { close, closePayload, frame, fragmented, opcode } from './frames.js'
import { filled, hugeText } from './valid-frames.js'

/** Values of `maxFrameBytes`. */
export const frameLimits = [36, 125, 1000, 65_535, 80_000, 80_000] as const

const closeCodes = [
  0, 999, 1000, 1001, 1003, 1004, 1005, 1006, 1007, 1011, 1014, 1015, 1016, 2999, 3000, 4999, 5000,
]

const closeFrame = fc.oneof(
  fc.constant(close()),
  fc
    .tuple(fc.constantFrom(...closeCodes), fc.constantFrom('', 'so long', 'é', 'r'.repeat(123)))
    .map(([code, reason]) => close(code, reason)),
  fc.constant(frame({ opcode: opcode.close, payload: Buffer.of(3) })),
  fc.constant(frame({ opcode: opcode.close, payload: Buffer.of(3, 0xe8, 0xff) })),
  fc.constant(frame({ opcode: opcode.close, payload: Buffer.of(3, 0xe8), isFinal: false })),
  fc.constant(frame({ opcode: opcode.close, payload: closePayload(1000, 'r'.repeat(124)) })),
)

const hello = Buffer.from('hello')

const anyOpcode = fc.nat(15)

const maskedFrame = fc
  .tuple(anyOpcode, fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.constantFrom(5, 130))
  .map(([kind, mask, length]) =>
    frame({ opcode: kind, payload: Buffer.alloc(length, 'm'), mask: Buffer.from(mask) }),
  )

const unknownOpcode = fc
  .tuple(fc.constantFrom(3, 4, 5, 6, 7, 11, 12, 13, 14, 15), fc.boolean(), fc.constantFrom(0, 5, 130))
  .map(([kind, isFinal, length]) => frame({ opcode: kind, payload: Buffer.alloc(length, 'u'), isFinal }))

const reservedBits = fc
  .tuple(anyOpcode, fc.constantFrom(0x40, 0x20, 0x10, 0x70), fc.constantFrom(0, 5, 130))
  .map(([kind, bits, length]) => frame({ opcode: kind, payload: Buffer.alloc(length, 'v'), reserved: bits }))

const invalidControl = fc
  .tuple(fc.constantFrom(opcode.ping, opcode.pong), fc.constantFrom(126, 200), fc.boolean())
  .map(([kind, length, isLong]) =>
    isLong
      ? filled(kind, length, length === 200 ? 'long' : 'medium')
      : frame({ opcode: kind, payload: hello, isFinal: false }),
  )

const interruptedMessage = fc
  .tuple(
    fc.constantFrom(opcode.text, opcode.binary),
    fc.constantFrom(opcode.text, opcode.binary),
    fc.boolean(),
  )
  .map(([first, next, isFinal]) =>
    Buffer.concat([
      frame({ opcode: first, payload: hello, isFinal: false }),
      frame({ opcode: next, payload: hello, isFinal }),
    ]),
  )

const strayContinuation = fc
  .boolean()
  .map((isFinal) => frame({ opcode: opcode.continuation, payload: hello, isFinal }))

/** A message above the limit by the sum of its fragments, or by the length in a header. */
const oversizedMessage = fc.oneof(
  hugeText,
  fc
    .constantFrom(...frameLimits)
    .map((limit) => fragmented(opcode.text, [Buffer.alloc(limit, 'f'), Buffer.from('g')])),
  fc.constantFrom(0x81, 0x82, 0x01).map((first) => Buffer.of(first, 127, 0, 0, 0, 255, 0, 0, 0, 0)),
  fc.constant(Buffer.of(0x81, 127, 0, 0x20, 0, 0, 0, 0, 0, 0)),
  fc.constant(Buffer.of(0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255)),
)

const unfinishedMessage = fc
  .constantFrom(opcode.text, opcode.binary)
  .map((kind) => frame({ opcode: kind, payload: hello, isFinal: false }))

/** An invalid or incomplete message, or a close frame. The bytes after it must not be handled as frames. */
export const invalidFrame = fc.oneof(
  { arbitrary: closeFrame, weight: 3 },
  maskedFrame,
  unknownOpcode,
  reservedBits,
  invalidControl,
  interruptedMessage,
  strayContinuation,
  oversizedMessage,
  unfinishedMessage,
)
